/** Evaluates durations, which may be arithmetic. */

import { AppError } from '../../../common/errors/app-error.js';
import { milliseconds, type Milliseconds } from '../../../common/model/timestamp-unit.js';
import { compute } from './operators.js';

import type { Duration, DurationArithmetic } from '../syntax/ast.js';

/** The limit of Go's durations: 63 bits of nanoseconds. */
const kLongestSeconds = 2 ** 63 / 1e9;

/** A whole number. Throws `parse_failed`. */
export function durationMs(duration: Duration): Milliseconds {
  const seconds = secondsOf(duration);
  if (!(Math.abs(seconds) < kLongestSeconds)) throw wrong('duration is out of range');
  return milliseconds(Math.trunc(Number((seconds * 1000).toFixed(6))));
}

/** The same for ranges and steps, which must be positive. */
export function lengthMs(duration: Duration): Milliseconds {
  const length = durationMs(duration);
  if (length <= 0) throw wrong('duration must be greater than 0');
  return length;
}

function secondsOf(duration: Duration): number {
  if (duration.kind === 'number') return duration.value;
  const left = duration.left === null ? null : secondsOf(duration.left);
  return combined(duration.op, left, secondsOf(duration.right));
}

function combined(op: DurationArithmetic['op'], left: number | null, right: number): number {
  if (left === null) return op === '-' ? -right : right;
  if (right === 0 && op === '/') throw wrong('division by zero');
  if (right === 0 && op === '%') throw wrong('modulo by zero');
  return compute(op, left, right);
}

function wrong(what: string): AppError {
  return new AppError('parse_failed', what);
}
