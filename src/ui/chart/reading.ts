/** What the lines say at a time: for the tooltip, and for who listens. */

import { printFine } from '../units.js';
import { printTime, type Clock } from '../zone.js';
import { nearestPlace } from './lines.js';

import type { Painted } from './paint.js';

export interface Read {
  readonly painted: Painted;
  readonly name: string;
  /** Where the value stands, in ticks. */
  readonly x: number;
  readonly value: number;
  readonly text: string;
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
  readonly isMean: boolean;
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

function readOf(painted: Painted, x: number, { names, unit, isMean }: ReadOptions): Read | null {
  const { line } = painted;
  const place = nearestPlace(line, x);
  if (place === null) return null;
  const [value = NaN, low = NaN, high = NaN] = [line.last[place], line.min[place], line.max[place]];
  const shown = printFine(value, unit);
  const range = `${printFine(low, unit)} – ${printFine(high, unit)}`;
  const text = low === high ? shown : isMean ? `${shown} (${range})` : range;
  return { painted, name: names.get(line.id) ?? '', x: line.xs[place] ?? x, value, text };
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
  const parts = reads.slice(0, 3).map(({ name, text }) => (name === '' ? text : `${name} ${text}`));
  const rest = reads.length - parts.length + moreCount;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  return `${times.join(' and ')}: ${parts.length === 0 ? 'no samples' : parts.join(', ')}${more}`;
}
