/**
 * An input of a load: a file, a compressed file, or standard input. Yields decompressed bytes
 * without a byte order mark.
 */

import { createHash } from 'node:crypto';
import { constants, createReadStream, openSync, statSync, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';

import { compressionOf, magicSize } from '../../common/tables/compression.js';
import { beginningSize } from '../../common/tables/csv-text.js';
import { CommandFailure } from '../session/failure.js';
import { readReasonOf } from '../session/file-reason.js';

import { decompressed } from './decompress.js';
import { standardInputName } from './file-list.js';

import type { DatabaseTime, TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { RowBook } from '../../common/tables/row-book.js';
import type { TableBatches } from './table-batches.js';

export interface Input {
  readonly name: string;
  /** Compressed size on disk; null if unknown. */
  readonly size: number | null;
  /** The part of `size` read so far. */
  readonly position: () => number;
  readonly bytes: AsyncIterable<Buffer>;
  /** Facts about the rows, if the lines are made from rows; else null. */
  readonly rows: RowBook | null;
  /** Present if the bytes are line protocol, which is sent as it is. */
  readonly lineProtocol?: LineProtocolForm;
  /** Present if the input is a table that the server can read. Its lines are then not read. */
  readonly table?: TableBatches;
}

/** `line 7`, or `row 7` of the source of the lines. */
export function sourceOf({ rows }: Input, line: number): string {
  return rows === null ? `line ${line}` : `${rows.noun} ${rows.sourceOf(line)}`;
}

/** How to read line protocol. */
export interface LineProtocolForm {
  readonly precision: TimestampUnit;
  /** The time of samples without one, in the database's unit. */
  readonly at: DatabaseTime;
}

/**
 * A hash of the input's beginning, to detect another file under the same name, or another meaning
 * of its rows.
 */
export interface InputBeginning {
  readonly size: number;
  readonly sha256: string;
}

export const beginningSizeMax = 64 * 1024;

export function beginningOf(bytes: Buffer, meaning = ''): InputBeginning {
  const sha256 = createHash('sha256').update(meaning).update(bytes).digest('hex');
  return { size: bytes.length, sha256 };
}

export async function openFile(path: string): Promise<Input> {
  try {
    const { size } = await stat(path);
    const handle = await open(path);
    const { buffer } = await handle.read(Buffer.alloc(magicSize), 0, magicSize, 0);
    await handle.close();
    let raw: ReadStream | null = null;
    // Opened on the first read, because a Parquet file is read in another way.
    async function* bytes(): AsyncGenerator<Buffer> {
      raw = createReadStream(path, { highWaterMark: 1024 * 1024 });
      yield* unmarked(decompressed(path, raw, compressionOf(buffer)));
    }
    const position = (): number => raw?.bytesRead ?? 0;
    return { name: path, size, position, bytes: bytes(), rows: null };
  } catch (error) {
    throw new CommandFailure(`cannot read ${path}: ${readReasonOf(error)}`);
  }
}

interface StreamOptions {
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Whether it can be read only once, from its beginning, such as a named pipe. */
export function isStream(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    return false;
  }
}

/**
 * Opens a pipe without blocking: a thread that waits for its writer would delay the end of the
 * process.
 */
export function streamOf(path: string): Readable {
  try {
    if (!statSync(path).isFIFO()) return createReadStream(path);
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  } catch (error) {
    throw new CommandFailure(`cannot read ${path}: ${readReasonOf(error)}`);
  }
}

/** The signal also ends a read that waits for the writer. */
export function openStream(stream: Readable, { name, signal }: StreamOptions): Input {
  let position = 0;
  addAbortSignal(signal, stream);
  async function* bytes(): AsyncGenerator<Buffer> {
    const raw = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const first = await raw.next();
    if (first.done === true) return;
    async function* whole(): AsyncGenerator<Buffer> {
      for (let step: IteratorResult<Buffer> = first; step.done !== true; step = await raw.next()) {
        position += step.value.length;
        yield step.value;
      }
    }
    const told = name === standardInputName ? 'standard input' : name;
    yield* unmarked(decompressed(told, whole(), compressionOf(first.value)));
  }
  return {
    ...{ name, size: null, position: () => position },
    ...{ bytes: bytes(), rows: null },
  };
}

const byteOrderMark = Buffer.from('\ufeff');

/** Removes the byte order mark of UTF-8. */
async function* unmarked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer | null = Buffer.alloc(0);
  const rest = (start: Buffer): Buffer =>
    start.indexOf(byteOrderMark) === 0 ? start.subarray(byteOrderMark.length) : start;
  for await (const piece of bytes) {
    if (held === null) {
      yield piece;
      continue;
    }
    held = Buffer.concat([held, piece]);
    if (held.length < byteOrderMark.length) continue;
    yield rest(held);
    held = null;
  }
  if (held !== null && rest(held).length > 0) yield rest(held);
}

interface Peeked {
  readonly beginning: Buffer;
  /** The same input, reopened. */
  readonly input: Input;
}

/** Reads the beginning of an input; waits for at most the first two lines of a stream. */
export async function peek(raw: Input): Promise<Peeked> {
  const iterator = raw.bytes[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let size = 0;
  const isEnough = (): boolean => {
    if (size >= beginningSize) return true;
    if (raw.size !== null || size === 0) return false;
    const text = Buffer.concat(parts).toString('latin1');
    return text.trimStart().startsWith('{') || text.split('\n').length > 2;
  };
  while (!isEnough()) {
    const step = await iterator.next();
    if (step.done === true) break;
    parts.push(step.value);
    size += step.value.length;
  }
  const beginning = Buffer.concat(parts);
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      if (beginning.length > 0) yield beginning;
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        yield step.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { beginning: beginning.subarray(0, beginningSize), input: { ...raw, bytes: bytes() } };
}

/** The part of an input that is still to be loaded. */
interface Remaining {
  readonly bytes: AsyncIterable<Buffer>;
  /** Whether the beginning matched, so that the first `offset` bytes were skipped. */
  readonly isResumed: boolean;
  /** Call it if the input is not read to its end. */
  readonly close: () => Promise<void>;
}

/** Skips the part that was loaded before, unless this is a different input. */
export async function skipTo(
  input: Input,
  offset: number,
  beginning: InputBeginning,
): Promise<Remaining> {
  const { table } = input;
  const iterator = (table?.bytes ?? input.bytes)[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let held = 0;
  while (held < beginning.size) {
    const step = await iterator.next();
    if (step.done === true) break;
    parts.push(step.value);
    held += step.value.length;
  }
  const start = Buffer.concat(parts);
  // A row that is now refused ends the load here.
  table?.skip(start.subarray(0, Math.min(offset, start.length)));
  const found = beginningOf(start.subarray(0, beginning.size), table?.key);
  const isResumed = found.sha256 === beginning.sha256;
  async function* rest(): AsyncGenerator<Buffer> {
    let toSkip = isResumed ? offset : 0;
    for (let piece: Buffer | null = start; piece !== null;) {
      const skipped = Math.min(toSkip, piece.length);
      toSkip -= skipped;
      if (skipped > 0 && piece !== start) table?.skip(piece.subarray(0, skipped));
      // The book so far has only skipped rows.
      if (skipped === piece.length) input.rows?.forget(Number.MAX_SAFE_INTEGER);
      if (skipped < piece.length) yield piece.subarray(skipped);
      const step: IteratorResult<Buffer> = await iterator.next();
      piece = step.done === true ? null : step.value;
    }
    if (toSkip > 0) throw new CommandFailure(`${input.name} is shorter than it was`);
  }
  const close = async (): Promise<void> => {
    await iterator.return?.();
  };
  return { bytes: rest(), isResumed, close };
}
