/** The values of lines at a time, for the tooltip and for screen readers. */

import { printFine, printMarks } from '../units.js';
import { printTime, type Clock } from '../zone.js';
import { nearestPlace } from './lines.js';

import type { Painted } from './paint.js';

export interface Read {
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

export interface Reading {
  /** Sorted by value, descending. */
  readonly reads: readonly Read[];
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
export function readAt(x: number, options: ReadOptions): Reading {
  const all = options.lines.flatMap((painted) => {
    const read = readOf(painted, x, options);
    return read === null ? [] : [read];
  });
  const { awayOf } = options;
  const rank = awayOf === null ? (one: Read) => -one.value : (one: Read) => awayOf(one.value);
  const nearest = [...all].sort((one, two) => rank(one) - rank(two)).slice(0, kReadsMax);
  const reads = nearest.sort((one, two) => two.value - one.value);
  return { reads, moreCount: all.length - reads.length };
}

function readOf(painted: Painted, x: number, { names, unit }: ReadOptions): Read | null {
  const { line } = painted;
  const place = nearestPlace(line, x);
  if (place === null) return null;
  const [value = NaN, low = NaN, high = NaN] = [line.mean[place], line.min[place], line.max[place]];
  const rest = { painted, name: names.get(line.id) ?? '', x: line.xs[place] ?? x, value };
  if (low === high) return { ...rest, shown: printFine(value, unit), range: null };
  // The mean gets enough digits to differ from minimum and maximum.
  const [, mean = ''] = printMarks([low, value, high], unit);
  const range = { low: printFine(low, unit), high: printFine(high, unit) };
  return { ...rest, shown: mean, range };
}

interface Told {
  readonly clock: Clock;
  readonly also: ((ts: bigint) => string) | undefined;
}

/** The time, and the second time if there is one. */
export const timesOf = (ts: bigint, { clock, also }: Told): readonly string[] => [
  printTime(ts, clock),
  ...(also === undefined ? [] : [also(ts)]),
];

/** The sentence that a screen reader speaks when keys move the crosshair. */
export function spoken(times: readonly string[], { reads, moreCount }: Reading): string {
  const parts = reads.slice(0, 3).map(({ name, shown, range }) => {
    const text = range === null ? shown : `mean ${shown}, min ${range.low}, max ${range.high}`;
    return name === '' ? text : `${name} ${text}`;
  });
  const rest = reads.length - parts.length + moreCount;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  return `${times.join(' and ')}: ${parts.length === 0 ? 'no samples' : parts.join(', ')}${more}`;
}
