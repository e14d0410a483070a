/** Splits a byte stream into batches of whole lines, each with its position. */

import { CommandFailure } from '../session/failure.js';

export interface InputPlace {
  /** Decompressed input bytes before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly line: number;
}

export interface LineBatch {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly lineCount: number;
  readonly from: InputPlace;
  readonly to: InputPlace;
}

const newline = 10;

/** The approximate maximum size of a batch. */
export interface BatchSize {
  readonly bytes: number;
  readonly lines: number;
}

/**
 * The largest line: no server takes a longer one, and a file without newlines must not fill memory.
 */
const lineSizeMax = 64 * 1024 * 1024;

export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

function batchOf(bytes: Buffer<ArrayBuffer>, from: InputPlace, newlines: number): LineBatch {
  // The last line needs no newline.
  const lineCount = bytes.at(-1) === newline ? newlines : newlines + 1;
  const to = { offset: from.offset + bytes.length, line: from.line + lineCount };
  return { bytes, lineCount, from, to };
}

/**
 * The end of a batch: after the last newline within the next `wanted` bytes. Without one there,
 * after the next newline; 0 if that newline has not arrived yet.
 */
function endOfBatch(bytes: Buffer, wanted: number): number {
  if (bytes.length === 0 || bytes.length < wanted) return 0;
  const last = wanted > 0 ? bytes.lastIndexOf(newline, wanted - 1) + 1 : 0;
  return last > 0 ? last : bytes.indexOf(newline, Math.max(wanted, 0)) + 1;
}

/**
 * Yields batches of `size` bytes. A batch ends earlier if it has `size` lines and a piece of the
 * source ends with a line. The last batch may be shorter. `start` is the position of the source.
 */
export async function* lineBatches(
  source: AsyncIterable<Buffer>,
  start: InputPlace,
  size: BatchSize,
): AsyncGenerator<LineBatch> {
  let parts: Buffer[] = [];
  let held = 0;
  let newlines = 0;
  let place = start;
  const batch = (): LineBatch => {
    const made = batchOf(Buffer.concat(parts), place, newlines);
    place = made.to;
    parts = [];
    held = 0;
    newlines = 0;
    return made;
  };
  const hold = (bytes: Buffer): void => {
    if (bytes.length > 0) parts.push(bytes);
    held += bytes.length;
    newlines += countNewlines(bytes);
  };
  for await (const chunk of source) {
    let rest = chunk;
    const wanted = (): number => size.bytes - held;
    for (let end = endOfBatch(rest, wanted()); end > 0; end = endOfBatch(rest, wanted())) {
      hold(rest.subarray(0, end));
      rest = rest.subarray(end);
      yield batch();
    }
    hold(rest);
    if (newlines >= size.lines && rest.at(-1) === newline) yield batch();
    if (held > lineSizeMax) {
      throw new CommandFailure(`line ${place.line + 1} is too long, or its end is missing`);
    }
  }
  if (held > 0) yield batch();
}

/** Two batches of about half the lines each, or null for a single line. */
export function halves(batch: LineBatch): readonly [LineBatch, LineBatch] | null {
  const { bytes, from } = batch;
  const middle = Math.floor(bytes.length / 2);
  let end = bytes.indexOf(newline, middle) + 1;
  if (end === 0 || end === bytes.length) end = bytes.lastIndexOf(newline, middle) + 1;
  if (end === 0 || end === bytes.length) return null;
  const first = bytes.subarray(0, end);
  const second = bytes.subarray(end);
  const made = batchOf(first, from, countNewlines(first));
  return [made, batchOf(second, made.to, countNewlines(second))];
}
