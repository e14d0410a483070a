/** A time range with both ends inside, in the database's unit. */

import { AppError } from '../errors/app-error.js';

export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Throws `invalid_time_range` when the ends are in the wrong order. `prefix` stands before the names
 * of the ends in its message.
 */
export function timeRange(start: bigint, end: bigint, prefix = ''): TimeRange {
  if (start > end) {
    const message = `${prefix}start ${start} is after ${prefix}end ${end}`;
    throw new AppError('invalid_time_range', message);
  }
  return { start, end };
}
