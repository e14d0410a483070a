/** Time ranges. Both ends are inclusive. */

import { AppError } from '../errors/app-error.js';

import type { DatabaseTime } from './timestamp-unit.js';

export interface TimeRange<Time extends bigint = DatabaseTime> {
  readonly start: Time;
  readonly end: Time;
}

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
