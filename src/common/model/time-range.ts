/** A time range in the database's unit. Both ends are inclusive. */

import { AppError } from '../errors/app-error.js';

export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Throws `invalid_time_range` if `start` is after `end`. `prefix` precedes the names of the ends in
 * the message.
 */
export function timeRange(start: bigint, end: bigint, prefix = ''): TimeRange {
  if (start > end) {
    const message = `${prefix}start ${start} is after ${prefix}end ${end}`;
    throw new AppError('invalid_time_range', message);
  }
  return { start, end };
}
