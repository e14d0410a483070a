/** What the lines say at a time: for the tooltip, and for who listens. */

import { printFine, printMarks } from '../units.js';
import { printTime, type Clock } from '../zone.js';
import { nearestPlace } from './lines.js';

import type { Painted } from './paint.js';

export interface Read {
  readonly painted: Painted;
  readonly name: string;
  /** Where the value stands, in ticks. */
  readonly x: number;
  readonly value: number;
  /** The value, or the mean of several. */
  readonly shown: string;
  /** Between what they lie; null: it is one value. */
  readonly range: { readonly low: string; readonly high: string } | null;
}

export interface Reading {
  /** Sorted by value, the largest first. */
  readonly reads: readonly Read[];
  /** Of lines that have a value there, too, and are not among them. */
  readonly moreCount: number;
}

/** As many lines as a tooltip has room for. */
const kReadsMax = 10;

interface ReadOptions {
  readonly lines: readonly Painted[];
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  /** How far a value lies from the pointer; null: nobody points. */
  readonly awayOf: ((value: number) => number) | null;
}

/** At `x`, those nearest to the pointer. */
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
  // Of its digits those that tell it from the others.
  const [, mean = ''] = printMarks([low, value, high], unit);
  const range = { low: printFine(low, unit), high: printFine(high, unit) };
  return { ...rest, shown: mean, range };
}

interface Told {
  readonly clock: Clock;
  readonly also: ((ts: bigint) => string) | undefined;
}

/** The time, and the other one where there are two. */
export const timesOf = (ts: bigint, { clock, also }: Told): readonly string[] => [
  printTime(ts, clock),
  ...(also === undefined ? [] : [also(ts)]),
];

/** The sentence of a crosshair that was moved by keys. */
export function spoken(times: readonly string[], { reads, moreCount }: Reading): string {
  const parts = reads.slice(0, 3).map(({ name, shown, range }) => {
    const text = range === null ? shown : `mean ${shown}, min ${range.low}, max ${range.high}`;
    return name === '' ? text : `${name} ${text}`;
  });
  const rest = reads.length - parts.length + moreCount;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  return `${times.join(' and ')}: ${parts.length === 0 ? 'no samples' : parts.join(', ')}${more}`;
}
