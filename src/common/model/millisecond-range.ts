/** Converts millisecond ranges of other databases to the database's unit. */

import { floorDivide, kI64Max, kI64Min } from './integers.js';
import { nanosecondsPerUnit, type TimestampUnit } from './timestamp-unit.js';

import type { TimeRange } from './time-range.js';

/** All times within these milliseconds; the end is inclusive. */
export function rangeOfMilliseconds({ start, end }: TimeRange, unit: TimestampUnit): TimeRange {
  return { start: clamped(firstFrom(start, unit)), end: clamped(firstFrom(end + 1n, unit) - 1n) };
}

/** The first time of the unit at or after a millisecond. */
function firstFrom(milliseconds: bigint, unit: TimestampUnit): bigint {
  return -floorDivide(-milliseconds * nanosecondsPerUnit.ms, nanosecondsPerUnit[unit]);
}

function clamped(time: bigint): bigint {
  return time < kI64Min ? kI64Min : time > kI64Max ? kI64Max : time;
}
