/** Timestamp units, and all conversions between them. */

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

/** The unit with `count` ticks per second; null if there is none. */
export function unitOfSecond(count: bigint): TimestampUnit | null {
  return timestampUnits.find((unit) => unitsPerSecond(unit) === count) ?? null;
}

/** Converts a time to another unit, rounded down. */
export function convertTime(ts: bigint, from: TimestampUnit, to: TimestampUnit): bigint {
  return floorDivide(ts * nanosecondsPerUnit[from], nanosecondsPerUnit[to]);
}

/** Converts milliseconds to the unit, rounded down. */
export function fromMilliseconds(milliseconds: bigint, unit: TimestampUnit): bigint {
  return convertTime(milliseconds, 'ms', unit);
}

/** Converts nanoseconds to the unit, rounded down. */
export function fromNanoseconds(nanoseconds: bigint, unit: TimestampUnit): bigint {
  return convertTime(nanoseconds, 'ns', unit);
}
