/**
 * A file with code compiled by V8. It has the hash of the rest, the size of a table, the table as
 * JSON, and the code of each chunk. Altered code makes V8 end the process, so code is used only if
 * the file is intact.
 */

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

export interface KeptCode {
  /** The hash of the compiled text. */
  readonly textHash: string;
  readonly code: Uint8Array;
}

interface KeptScript {
  readonly name: string;
  readonly textHash: string;
  readonly size: number;
}

const kHashSize = 32;
const kTableAt = kHashSize + 4;
/** Code is aligned to this many bytes; V8 would copy unaligned code. */
const kWordSize = 8;

const toWord = (size: number): number => Math.ceil(size / kWordSize) * kWordSize;
const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Keyed by the name of the chunk. Empty if the file is missing or damaged. */
export function readKeptCode(file: string): ReadonlyMap<string, KeptCode> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    // The file is missing or unreadable; the source text is still available.
    return new Map();
  }
  const isWhole = hashOf(bytes.subarray(kHashSize)).equals(bytes.subarray(0, kHashSize));
  return isWhole ? new Map(entriesOf(bytes)) : new Map();
}

function* entriesOf(bytes: Buffer): Generator<[string, KeptCode]> {
  const tableEnd = kTableAt + bytes.readUInt32LE(kHashSize);
  const table = JSON.parse(bytes.toString('utf8', kTableAt, tableEnd)) as readonly KeptScript[];
  let at = toWord(tableEnd);
  for (const { name, textHash, size } of table) {
    yield [name, { textHash, code: bytes.subarray(at, at + size) }];
    at += toWord(size);
  }
}

/** Writes a temporary file and renames it, so that readers never see a partial file. */
export function writeKeptCode(file: string, kept: ReadonlyMap<string, KeptCode>): void {
  const rows = [...kept].map(([name, { textHash, code }]) => ({
    name,
    textHash,
    size: code.length,
  }));
  const table = Buffer.from(JSON.stringify(rows satisfies KeptScript[]));
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
