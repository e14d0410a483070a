/** Whole lines out of a stream of bytes, many at a time, each batch knowing where it stood. */

import { CommandFailure } from '../failure.js';

export interface Place {
  /** Bytes of the (decompressed) input before it. */
  readonly offset: number;
  /** Lines before it. */
  readonly line: number;
}

export interface LineBatch {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly lineCount: number;
  readonly from: Place;
  readonly to: Place;
}

const newline = 10;

/** No server takes a longer line; a file without newlines must not fill the memory. */
const lineSizeMax = 64 * 1024 * 1024;

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1;
  // The last line needs no newline.
  return bytes.length > 0 && bytes[bytes.length - 1] !== newline ? count + 1 : count;
}

function batchOf(bytes: Buffer<ArrayBuffer>, from: Place): LineBatch {
  const lineCount = countLines(bytes);
  const to = { offset: from.offset + bytes.length, line: from.line + lineCount };
  return { bytes, lineCount, from, to };
}

/**
 * Where to cut: after the last newline among the `wanted` next bytes, or else after the next one. 0
 * when that is not here yet.
 */
function endOfBatch(bytes: Buffer, wanted: number): number {
  if (bytes.length === 0 || bytes.length < wanted) return 0;
  const last = wanted > 0 ? bytes.lastIndexOf(newline, wanted - 1) + 1 : 0;
  return last > 0 ? last : bytes.indexOf(newline, Math.max(wanted, 0)) + 1;
}

/** Batches of `size` bytes or little more, the last one shorter. `start` is where the source is. */
export async function* lineBatches(
  source: AsyncIterable<Buffer>,
  start: Place,
  size: number,
): AsyncGenerator<LineBatch> {
  let parts: Buffer[] = [];
  let held = 0;
  let place = start;
  for await (const chunk of source) {
    let rest = chunk;
    for (let end = endOfBatch(rest, size - held); end > 0; end = endOfBatch(rest, size - held)) {
      const batch = batchOf(Buffer.concat([...parts, rest.subarray(0, end)]), place);
      place = batch.to;
      parts = [];
      held = 0;
      rest = rest.subarray(end);
      yield batch;
    }
    if (rest.length > 0) parts.push(rest);
    held += rest.length;
    if (held > lineSizeMax) {
      throw new CommandFailure(`line ${place.line + 1} and what follows is too long`);
    }
  }
  if (held > 0) yield batchOf(Buffer.concat(parts), place);
}

/** Two batches of about half the lines each, or null for a single line. */
export function halves(batch: LineBatch): readonly [LineBatch, LineBatch] | null {
  const { bytes, from } = batch;
  const middle = Math.floor(bytes.length / 2);
  let end = bytes.indexOf(newline, middle) + 1;
  if (end === 0 || end === bytes.length) end = bytes.lastIndexOf(newline, middle) + 1;
  if (end === 0 || end === bytes.length) return null;
  const first = batchOf(bytes.subarray(0, end), from);
  return [first, batchOf(bytes.subarray(end), first.to)];
}
