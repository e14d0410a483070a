/** Converts millisecond ranges of other databases to the database's unit. */

import {
  databaseTime,
  kFirstTime,
  kLastTime,
  milliseconds,
  upFromMilliseconds,
  type DatabaseTime,
  type Milliseconds,
  type TimestampUnit,
} from './timestamp-unit.js';

import type { TimeRange } from './time-range.js';

export type MillisecondRange = TimeRange<Milliseconds<bigint>>;

/** All times within these milliseconds; the end is inclusive. */
export function rangeOfMilliseconds(
  { start, end }: MillisecondRange,
  unit: TimestampUnit,
): TimeRange {
  const behind = upFromMilliseconds(milliseconds(end + 1n), unit);
  return { start: clamped(upFromMilliseconds(start, unit)), end: clamped(behind - 1n) };
}

function clamped(time: bigint): DatabaseTime {
  return time < kFirstTime ? kFirstTime : time > kLastTime ? kLastTime : databaseTime(time);
}
