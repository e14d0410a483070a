/**
 * Code that V8 compiled, in one file: the hash of all that follows, the size of a table, the table
 * as JSON, then the code of each chunk. V8 ends the process over code that was altered, so none is
 * given to it but of a file that is whole.
 */

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

export interface KeptCode {
  /** Of the text that it was compiled from. */
  readonly textHash: string;
  readonly code: Uint8Array;
}

interface Row {
  readonly name: string;
  readonly textHash: string;
  readonly size: number;
}

const kHashSize = 32;
const kTableAt = kHashSize + 4;
/** V8 copies code that begins elsewhere. */
const kWordSize = 8;

const toWord = (size: number): number => Math.ceil(size / kWordSize) * kWordSize;
const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** By the name of the chunk; empty where there is no such file, or another made it. */
export function readKeptCode(file: string): ReadonlyMap<string, KeptCode> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    // It is not there, or not for this user: the text is.
    return new Map();
  }
  const isWhole = hashOf(bytes.subarray(kHashSize)).equals(bytes.subarray(0, kHashSize));
  return isWhole ? new Map(entriesOf(bytes)) : new Map();
}

function* entriesOf(bytes: Buffer): Generator<[string, KeptCode]> {
  const tableEnd = kTableAt + bytes.readUInt32LE(kHashSize);
  const table = JSON.parse(bytes.toString('utf8', kTableAt, tableEnd)) as readonly Row[];
  let at = toWord(tableEnd);
  for (const { name, textHash, size } of table) {
    yield [name, { textHash, code: bytes.subarray(at, at + size) }];
    at += toWord(size);
  }
}

/** Nobody sees it before it is whole. */
export function writeKeptCode(file: string, kept: ReadonlyMap<string, KeptCode>): void {
  const rows = [...kept].map(([name, { textHash, code }]) => ({
    name,
    textHash,
    size: code.length,
  }));
  const table = Buffer.from(JSON.stringify(rows satisfies Row[]));
  const head = Buffer.alloc(toWord(kTableAt + table.length));
  head.writeUInt32LE(table.length, kHashSize);
  table.copy(head, kTableAt);
  const bytes = Buffer.concat([head, ...[...kept.values()].map(({ code }) => padded(code))]);
  hashOf(bytes.subarray(kHashSize)).copy(bytes);
  const unfinished = `${file}.${String(process.pid)}.tmp`;
  const descriptor = openSync(unfinished, 'w', 0o644);
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(unfinished, file);
}

function padded(code: Uint8Array): Buffer {
  return Buffer.concat([code], toWord(code.length));
}
