/** Time ranges, also those of other databases, in milliseconds. Both ends are inclusive. */

import { AppError } from '../errors/app-error.js';

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

export interface TimeRange<Time extends bigint = DatabaseTime> {
  readonly start: Time;
  readonly end: Time;
}

export type MillisecondRange = TimeRange<Milliseconds<bigint>>;

/**
 * Throws `invalid_time_range` if `start` is after `end`. `prefix` precedes the names of the ends in
 * the message.
 */
export function timeRange(start: DatabaseTime, end: DatabaseTime, prefix = ''): TimeRange {
  if (start > end) {
    const message = `${prefix}start ${start} is after ${prefix}end ${end}`;
    throw new AppError('invalid_time_range', message);
  }
  return { start, end };
}

/** All times within these milliseconds. */
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
