/**
 * Counts the work on texts, so that loops over rows yield in time, however different their rows
 * are. JavaScript has one thread, so one counter serves all of its queries.
 */

import { AppError } from '../../common/errors/app-error.js';

/** The text work between two checks of the clock: about half a millisecond. */
const kWorkPerLook = 2 ** 18;
/** The most text work on one row, which blocks all others: about 20 ms, at worst twice that. */
const kRowWorkMax = 2 ** 23;

/** UTF-16 units made and compared since the last check; about two nanoseconds each. */
let work = 0;
/** True if text work has used up this turn of the event loop, as noted by `startTextWork`. */
let hasUsedTurn = false;

/** Throws `query_limit_exceeded` if one row takes too much work. */
export function noteTextWork(units: number): void {
  work += units;
  if (work > kRowWorkMax) throw tooMuch();
}

/** True if a check of the clock is due before all rows are done. */
export function isTextWorkDue(): boolean {
  return work >= kWorkPerLook;
}

/** Resets the counter: other tasks had their turn, or need none yet. */
export function startTextWork(): void {
  hasUsedTurn ||= isTextWorkDue();
  work = 0;
}

/** True if text work has used up this turn, or an earlier one without a later beginTurn(). */
export function isTurnUsed(): boolean {
  return hasUsedTurn || isTextWorkDue();
}

/** Notes that the event loop begins another turn. */
export function beginTurn(): void {
  work = 0;
  hasUsedTurn = false;
}

function tooMuch(): AppError {
  startTextWork();
  const message = 'the texts of one row take too much work; use fewer or shorter ones in a row';
  return new AppError('query_limit_exceeded', message);
}
