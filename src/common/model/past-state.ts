/** Past states of the database, and their notation. */

import { AppError } from '../errors/app-error.js';

import { kI64Min, parseU64 } from './integers.js';
import { parseTime, parseTs } from './time-text.js';
import {
  milliseconds,
  toMilliseconds,
  type Milliseconds,
  type TimestampUnit,
} from './timestamp-unit.js';

/** If a snapshot and a time are both set, the snapshot takes precedence where it exists. */
export interface PastState {
  readonly snapshot: string | null;
  /** The edit number of a commit. */
  readonly edit: bigint | null;
  /** The last commit at or before this time. */
  readonly timeMs: Milliseconds<bigint> | null;
}

const nameForm = /^(?!.*\.tmp$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export function isSnapshotName(text: string): boolean {
  return nameForm.test(text);
}

/**
 * Parses a snapshot name, `@` and a commit number, or a time. A time is an integer in the unit, an
 * ISO timestamp, or `now-90m`. A text may be both a name and a time. Null for anything else.
 */
export function parsePastState(
  text: string,
  unit: TimestampUnit,
  nowMs = Date.now(),
): PastState | null {
  if (text.startsWith('@')) {
    const edit = parseU64(text.slice(1));
    return edit === null || edit >= 1n << 63n ? null : { snapshot: null, edit, timeMs: null };
  }
  const snapshot = isSnapshotName(text) ? text : null;
  const time = timeMsOf(text, unit, nowMs);
  if (snapshot === null && time === null) return null;
  return { snapshot, edit: null, timeMs: time === null ? null : within(time, nowMs) };
}

/** Only integers are in the database's unit, which may be as coarse as a second. */
function timeMsOf(text: string, unit: TimestampUnit, nowMs: number): Milliseconds<bigint> | null {
  const integer = parseTs(text);
  if (integer !== null) return toMilliseconds(integer, unit);
  const time = parseTime(text, 'ms', nowMs);
  return time === null ? null : toMilliseconds(time, 'ms');
}

/** A future time becomes `nowMs`: it would name another state a moment later. */
function within(timeMs: Milliseconds<bigint>, nowMs: number): Milliseconds<bigint> {
  if (timeMs > BigInt(nowMs)) return milliseconds(BigInt(nowMs));
  return timeMs < kI64Min ? milliseconds(kI64Min) : timeMs;
}

/** Throws `invalid_name`. */
export function checkedPastState(text: string, unit: TimestampUnit): PastState {
  const past = parsePastState(text, unit);
  if (past !== null) return past;
  const forms = 'a snapshot name, "@" and a commit number, or a time';
  throw new AppError('invalid_name', `a past state must be ${forms}`);
}
