/** Splits a byte stream into batches of whole lines, each with its position. */

import { CommandFailure } from '../session/failure.js';

import { lineSizeMax, plainEnds, type LineEnds } from './line-ends.js';

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
  /** Where it may be split. */
  readonly ends: LineEnds;
  /**
   * Present if the lines are made from rows of a larger batch of the input. If true, their end is
   * no place of the input.
   */
  readonly isPart?: boolean;
}

export interface BatchRules {
  /** The approximate maximum size of a batch. */
  readonly bytes: number;
  readonly lines: number;
  /** Where lines end; at every newline if absent. */
  readonly ends?: LineEnds;
  /** Gets each line that opens a quote which is never closed. If it throws, the batches end. */
  readonly refuse?: (line: number) => void;
  /** True if a line that is too long becomes a batch instead of an error. */
  readonly givesLong?: boolean;
}

const newline = 10;

interface BatchStart {
  readonly from: InputPlace;
  readonly ends: LineEnds;
}

function batchOf(
  bytes: Buffer<ArrayBuffer>,
  { from, ends }: BatchStart,
  newlines: number,
): LineBatch {
  // The last line needs no newline.
  const lineCount = bytes.at(-1) === newline ? newlines : newlines + 1;
  const to = { offset: from.offset + bytes.length, line: from.line + lineCount };
  return { bytes, lineCount, from, to, ends };
}

/**
 * Yields batches of the size in `rules`. A batch ends earlier if it has as many lines and a piece
 * of the source ends with a line. The last batch may be shorter. `start` is the position of the
 * source.
 */
export async function* lineBatches(
  source: AsyncIterable<Buffer>,
  start: InputPlace,
  rules: BatchRules,
): AsyncGenerator<LineBatch> {
  const { ends = plainEnds } = rules;
  let parts: Buffer[] = [];
  let held = 0;
  let newlines = 0;
  let place = start;
  const batch = (): LineBatch => {
    const made = batchOf(Buffer.concat(parts), { from: place, ends }, newlines);
    place = made.to;
    parts = [];
    held = 0;
    newlines = 0;
    return made;
  };
  const hold = (bytes: Buffer): void => {
    if (bytes.length > 0) parts.push(bytes);
    held += bytes.length;
    newlines += ends.count(bytes);
  };
  /** The end of the batch in these bytes; 0 if it does not end there. */
  const endIn = (bytes: Buffer): number => {
    const wanted = rules.bytes - held;
    return bytes.length === 0 || bytes.length < wanted ? 0 : ends.within(bytes, wanted);
  };
  for await (const { bytes, isUnclosed } of ends.pieces(source)) {
    if (isUnclosed) rules.refuse?.(place.line + newlines + 1);
    let rest = bytes;
    for (let end = endIn(rest); end > 0; end = endIn(rest)) {
      hold(rest.subarray(0, end));
      rest = rest.subarray(end);
      yield batch();
    }
    hold(rest);
    if (newlines >= rules.lines && rest.at(-1) === newline) yield batch();
    if (held > lineSizeMax && rules.givesLong === true) yield batch();
    else if (held > lineSizeMax) {
      throw new CommandFailure(`line ${place.line + 1} is too long, or its end is missing`);
    }
  }
  if (held > 0) yield batch();
}

/** Two batches of about half the lines each, or null for a single line. */
export function halves(batch: LineBatch): readonly [LineBatch, LineBatch] | null {
  const { bytes, from, ends } = batch;
  const end = ends.within(bytes, Math.floor(bytes.length / 2));
  if (end === 0 || end === bytes.length) return null;
  const first = bytes.subarray(0, end);
  const second = bytes.subarray(end);
  const made = batchOf(first, { from, ends }, ends.count(first));
  const rest = batchOf(second, { from: made.to, ends }, ends.count(second));
  if (batch.isPart === undefined) return [made, rest];
  return [
    { ...made, isPart: true },
    { ...rest, to: batch.to, isPart: batch.isPart },
  ];
}

/** The lines of a batch after a part of it; null if there are none. */
export function afterPart(batch: LineBatch, { to: from }: LineBatch): LineBatch | null {
  const bytes = batch.bytes.subarray(from.offset - batch.from.offset);
  return bytes.length === 0
    ? null
    : { ...batch, bytes, from, lineCount: batch.to.line - from.line };
}
