/** Times in requests: an integer in the database's unit, or a text that is parsed by that unit. */

import { AppError } from '../../common/errors/app-error.js';
import { timeRange, type TimeRange } from '../../common/model/time-range.js';
import { parseTime, parseTs } from '../../common/model/time-text.js';
import {
  kFirstTime,
  kLastTime,
  type DatabaseTime,
  type TimestampUnit,
} from '../../common/model/timestamp-unit.js';

import { invalidCode } from './field-codes.js';

/** A text is a valid time in every unit, and never an integer. */
export type MomentField = DatabaseTime | string;

export const momentSchema = { type: ['integer', 'string'], format: 'int64' };
export const momentForms = 'a 64-bit integer or a time such as 2026-11-27T14:00:00Z or now-1h';

/**
 * Null if the text is not a time. An integer as text is refused, since its unit would be unclear.
 */
export function momentOfText(text: string): string | null {
  return parseTs(text) === null && parseTime(text, 's') !== null ? text : null;
}

/**
 * The times between two moments. Both see the same `now`, so that `now-1h` to `now` is an hour.
 * Throws `invalid_start` or `invalid_end` if the unit cannot hold the time, and
 * `invalid_time_range` if the start is after the end.
 */
export function rangeOf(start: MomentField, end: MomentField, unit: TimestampUnit): TimeRange {
  const nowMs = Date.now();
  const tsOf = (moment: MomentField, key: string): DatabaseTime => {
    if (typeof moment === 'bigint') return moment;
    const ts = parseTime(moment, unit, nowMs);
    if (ts !== null && ts >= kFirstTime && ts <= kLastTime) return ts;
    throw new AppError(invalidCode(key), `${key} is a time that "${unit}" cannot hold`);
  };
  return timeRange(tsOf(start, 'start'), tsOf(end, 'end'));
}
