/**
 * How much work texts make, so that loops over rows know when to give way to others, however
 * different their rows are. JavaScript has one thread, so one count serves all of its queries.
 */

import { AppError } from '../../common/errors/app-error.js';

/** Units of texts between two looks; some half of a millisecond. */
const kWorkPerLook = 2 ** 18;
/** Of one row, in which nobody else has a turn; some 20 ms, at worst twice as much. */
const kRowWorkMax = 2 ** 23;

/** Units of texts that were made and compared since the last look; about two nanoseconds each. */
let work = 0;
/** Since the turn of the event loop began, as far as `startTextWork` has noted it. */
let hasUsedTurn = false;

/** Throws `query_limit_exceeded` where one row takes too much. */
export function noteTextWork(units: number): void {
  work += units;
  if (work > kRowWorkMax) throw tooMuch();
}

/** Whether a look is due before all rows are done. */
export function isTextWorkDue(): boolean {
  return work >= kWorkPerLook;
}

/** Others had their turn, or need none yet. */
export function startTextWork(): void {
  hasUsedTurn ||= isTextWorkDue();
  work = 0;
}

/** Whether texts have taken long in this turn of the event loop, or in one that nobody ended. */
export function isTurnUsed(): boolean {
  return hasUsedTurn || isTextWorkDue();
}

/** The event loop begins another turn. */
export function beginTurn(): void {
  work = 0;
  hasUsedTurn = false;
}

function tooMuch(): AppError {
  startTextWork();
  const message = 'the texts of one row take too much work; use fewer or shorter ones in a row';
  return new AppError('query_limit_exceeded', message);
}
