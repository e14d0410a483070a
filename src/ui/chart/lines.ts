/** Lines as a chart draws them: mean, minimum, maximum and last value of each bucket. */

import type { Columns } from '../data/csv-columns.js';

export interface ChartLine {
  /** The id of the series; in a split, a number derived from the label's value. */
  readonly id: string;
  /** Ticks from the picture's origin, ascending: bucket starts or sample times. */
  readonly xs: Float64Array;
  /** The drawn value; `min` and `max` bound the band around it. */
  readonly mean: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
  /** Neighbours further apart than this are not joined. */
  readonly gapTicks: number;
}

/** Uses one column for all four figures. */
export function flat(values: Float64Array): Pick<ChartLine, 'mean' | 'min' | 'max' | 'last'> {
  return { mean: values, min: values, max: values, last: values };
}

/** The row range of each line. Rows must be grouped by line and sorted by time. */
export function stretches({ numbers, rowCount, keys }: Columns): ReadonlyMap<string, LineStretch> {
  const found = new Map<string, LineStretch>();
  const [names = new Float64Array()] = numbers;
  let start = 0;
  for (let row = 1; row <= rowCount; row += 1) {
    if (row < rowCount && names[row] === names[start]) continue;
    found.set(keys[names[start] ?? 0] ?? '', { start, end: row });
    start = row;
  }
  return found;
}

interface LineStretch {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

interface Rhythm {
  /** The width of a bucket; null: raw samples. */
  readonly widthTicks: number | null;
  /** The number of samples behind the points. */
  readonly samples: number;
}

/**
 * The largest distance of joined neighbours. If most buckets have several samples, an empty bucket
 * is a gap. Otherwise a gap is three times the usual distance.
 */
export function gapOf(xs: Float64Array, { widthTicks, samples }: Rhythm): number {
  const usual = median(distances(xs));
  if (widthTicks === null) return usual * 3;
  // A sum of many series has many samples, and may still fill a bucket only now and then.
  const isDense = samples >= xs.length * 1.5 && usual <= widthTicks;
  if (isDense) return widthTicks * 1.5;
  return Math.max(usual, widthTicks) * 3;
}

function distances(xs: Float64Array): Float64Array {
  const found = new Float64Array(Math.max(0, xs.length - 1));
  for (let at = 0; at < found.length; at += 1) found[at] = (xs[at + 1] ?? 0) - (xs[at] ?? 0);
  return found;
}

function median(values: Float64Array): number {
  return values.length === 0 ? Infinity : (values.sort()[values.length >> 1] ?? 0);
}

/** The first index whose x is at least `x`. */
export function placeFrom(xs: Float64Array, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index nearest to `x`; null if it is further away than a gap. */
export function nearestPlace({ xs, gapTicks }: ChartLine, x: number): number | null {
  const after = placeFrom(xs, x);
  const [left = -Infinity, right = Infinity] = [xs[after - 1], xs[after]];
  const place = x - left <= right - x ? after - 1 : after;
  const away = Math.abs((xs[place] ?? Infinity) - x);
  return away <= Math.max(gapTicks, 0) ? place : null;
}

export interface LineExtent {
  readonly min: number;
  readonly max: number;
}

/** The range of values between two times; null: no values. `isTaken` filters values. */
export function extentOf(
  lines: readonly ChartLine[],
  [from, to]: readonly [number, number],
  isTaken: (value: number) => boolean = () => true,
): LineExtent | null {
  let low = Infinity;
  let high = -Infinity;
  for (const { xs, min, max } of lines) {
    for (let at = placeFrom(xs, from); at < xs.length && (xs[at] ?? 0) <= to; at += 1) {
      const [least = NaN, most = NaN] = [min[at], max[at]];
      if (least < low && Number.isFinite(least) && isTaken(least)) low = least;
      if (most > high && Number.isFinite(most) && isTaken(most)) high = most;
    }
  }
  return low > high ? null : { min: low, max: high };
}

/** Replaces the end of a line by `tail`, and drops the points before `from`. */
export function merged(line: ChartLine, tail: ChartLine, from: number): ChartLine {
  const start = placeFrom(line.xs, from);
  const end = tail.xs.length === 0 ? line.xs.length : placeFrom(line.xs, tail.xs[0] ?? Infinity);
  const join = (key: 'xs' | 'mean' | 'min' | 'max' | 'last'): Float64Array => {
    const joined = new Float64Array(Math.max(0, end - start) + tail.xs.length);
    joined.set(line[key].subarray(start, Math.max(start, end)));
    joined.set(tail[key], Math.max(0, end - start));
    return joined;
  };
  const min = join('min');
  const isFlat = line.min === line.max;
  const values = isFlat
    ? flat(min)
    : { min, max: join('max'), mean: join('mean'), last: join('last') };
  return { ...line, xs: join('xs'), ...values };
}

/** The line relative to an origin `away` ticks later. */
export function shifted(line: ChartLine, away: number): ChartLine {
  return away === 0 ? line : { ...line, xs: line.xs.map((x) => x - away) };
}

/**
 * The part of the index range [start, end) that lies in `whole`, both ends included. The full range
 * if nothing lies in it, or if `whole` is null.
 */
export function placesWithin(
  { xs }: Pick<ChartLine, 'xs'>,
  [start, end]: readonly [number, number],
  whole: readonly [number, number] | null,
): readonly [number, number] {
  if (whole === null) return [start, end];
  const [from, to] = whole;
  const first = Math.max(start, placeFrom(xs, from));
  let last = end;
  while (last > first && (xs[last - 1] ?? 0) > to) last -= 1;
  return first < last ? [first, last] : [start, end];
}
