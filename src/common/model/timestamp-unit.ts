/** The units a timestamp can be counted in. The one place that knows how they relate. */

import { floorDivide } from './integers.js';

export const timestampUnits = ['s', 'ms', 'us', 'ns'] as const;

export type TimestampUnit = (typeof timestampUnits)[number];

export function isTimestampUnit(text: string): text is TimestampUnit {
  return (timestampUnits as readonly string[]).includes(text);
}

export const kNanosecondsPerSecond = 1_000_000_000n;

export const nanosecondsPerUnit: Readonly<Record<TimestampUnit, bigint>> = {
  s: kNanosecondsPerSecond,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};

export function unitsPerSecond(unit: TimestampUnit): bigint {
  return kNanosecondsPerSecond / nanosecondsPerUnit[unit];
}

/** The unit of which a second has so many; null when it is none of them. */
export function unitOfSecond(count: bigint): TimestampUnit | null {
  return timestampUnits.find((unit) => unitsPerSecond(unit) === count) ?? null;
}

/** The same time in another unit, towards the past. */
export function convertTime(ts: bigint, from: TimestampUnit, to: TimestampUnit): bigint {
  return floorDivide(ts * nanosecondsPerUnit[from], nanosecondsPerUnit[to]);
}

/** Milliseconds in the unit, towards the past. */
export function fromMilliseconds(milliseconds: bigint, unit: TimestampUnit): bigint {
  return convertTime(milliseconds, 'ms', unit);
}

/** Nanoseconds in the unit, towards the past. */
export function fromNanoseconds(nanoseconds: bigint, unit: TimestampUnit): bigint {
  return convertTime(nanoseconds, 'ns', unit);
}
