/** Ranges of milliseconds, as other databases have them, in the unit of this one. */

import { floorDivide, kI64Max, kI64Min } from './integers.js';
import { nanosecondsPerUnit, type TimestampUnit } from './timestamp-unit.js';

import type { TimeRange } from './time-range.js';

/** All times that lie in these milliseconds, the last one included. */
export function rangeOfMilliseconds({ start, end }: TimeRange, unit: TimestampUnit): TimeRange {
  return { start: clamped(firstFrom(start, unit)), end: clamped(firstFrom(end + 1n, unit) - 1n) };
}

/** The first time of the unit that is not before a millisecond. */
function firstFrom(milliseconds: bigint, unit: TimestampUnit): bigint {
  return -floorDivide(-milliseconds * nanosecondsPerUnit.ms, nanosecondsPerUnit[unit]);
}

function clamped(time: bigint): bigint {
  return time < kI64Min ? kI64Min : time > kI64Max ? kI64Max : time;
}
