/** A time range with both ends inside, in the database's unit. */

import { AppError } from '../errors/app-error.js';

export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** Throws `invalid_time_range` when the ends are in the wrong order. */
export function timeRange(start: bigint, end: bigint): TimeRange {
  if (start > end) {
    throw new AppError('invalid_time_range', `start ${start} is after end ${end}`);
  }
  return { start, end };
}
