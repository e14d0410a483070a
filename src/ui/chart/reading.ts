/** The values of lines at a time, for the tooltip and for screen readers. */

import { alikePrinter } from '../units.js';
import { printTime, type PageClock } from '../zone.js';
import { nearestPlace } from './lines.js';

import type { Painted } from './paint.js';

export interface ReadValue {
  readonly painted: Painted;
  readonly name: string;
  /** The x of the value, in ticks. */
  readonly x: number;
  readonly value: number;
  /** The value; in a bucket of several samples, their mean. */
  readonly shown: string;
  /** The range of the bucket; null: a single value. */
  readonly range: { readonly low: string; readonly high: string } | null;
}

export interface ChartReading {
  /** Sorted by value, descending. */
  readonly reads: readonly ReadValue[];
  /** The number of further lines with a value there. */
  readonly moreCount: number;
}

/** The most lines in a tooltip. */
const kReadsMax = 10;

interface ReadOptions {
  readonly lines: readonly Painted[];
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  /** The distance of a value from the pointer; null: no pointer. */
  readonly awayOf: ((value: number) => number) | null;
}

/** The values at `x`; if there are too many, those nearest to the pointer. */
export function readAt(x: number, options: ReadOptions): ChartReading {
  const all = options.lines.flatMap((painted) => {
    const place = nearestPlace(painted.line, x);
    return place === null ? [] : [pointOf(painted, place)];
  });
  const { awayOf } = options;
  const rank =
    awayOf === null ? (one: ReadPoint) => -one.value : (one: ReadPoint) => awayOf(one.value);
  const nearest = [...all].sort((one, two) => rank(one) - rank(two)).slice(0, kReadsMax);
  const points = nearest.sort((one, two) => two.value - one.value);
  return { reads: readsOf(points, options), moreCount: all.length - points.length };
}

interface ReadPoint {
  readonly painted: Painted;
  readonly x: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

function pointOf(painted: Painted, place: number): ReadPoint {
  const { xs, mean, min, max } = painted.line;
  const [value = NaN, low = NaN, high = NaN] = [mean[place], min[place], max[place]];
  return { painted, x: xs[place] ?? NaN, value, low, high };
}

const isSample = ({ low, high }: ReadPoint): boolean => low === high;

/** All values have the same decimal places. A sample alone has all its digits. */
function readsOf(
  points: readonly ReadPoint[],
  { names, unit }: Pick<ReadOptions, 'names' | 'unit'>,
): readonly ReadValue[] {
  const values = points.flatMap(({ value, low, high }) => [value, low, high]);
  const isFine = points.length === 1 && points.every(isSample);
  const print = alikePrinter(values, { unit, isFine });
  return points.map((point) => {
    const { painted, x, value, low, high } = point;
    const range = isSample(point) ? null : { low: print(low), high: print(high) };
    const name = names.get(painted.line.id) ?? '';
    return { painted, name, x, value, shown: print(value), range };
  });
}

interface ReadingOptions {
  readonly clock: PageClock;
  readonly also: ((ts: bigint) => string) | undefined;
}

/** The time, and the second time if there is one. */
export const timesOf = (ts: bigint, { clock, also }: ReadingOptions): readonly string[] => [
  printTime(ts, clock),
  ...(also === undefined ? [] : [also(ts)]),
];

/** The sentence that a screen reader speaks when keys move the crosshair. */
export function spoken(times: readonly string[], { reads, moreCount }: ChartReading): string {
  const parts = reads.slice(0, 3).map(({ name, shown, range }) => {
    const text = range === null ? shown : `mean ${shown}, min ${range.low}, max ${range.high}`;
    return name === '' ? text : `${name} ${text}`;
  });
  const rest = reads.length - parts.length + moreCount;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  return `${times.join(' and ')}: ${parts.length === 0 ? 'no samples' : parts.join(', ')}${more}`;
}
