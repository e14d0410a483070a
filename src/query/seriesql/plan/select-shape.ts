/**
 * The part of a SELECT's plan that is shared by statements that differ only in FROM and WHERE. It
 * is valid while WHERE answers the recorded questions alike. WHERE is passed on only as answers, so
 * every use of it is recorded.
 */

import { hullOf, isBounded } from './intervals.js';

import type { Expr, Interval, SelectPlan } from './plan.js';

/** The facts about WHERE that the rest of a statement may use. */
export interface WhereAnswers {
  /** The condition left for each row; null if there is none. */
  readonly filter: Expr | null;
  /** True if time is bounded on at least one side. */
  readonly isBounded: boolean;
  /** True if time is bounded on both sides, or no time is possible. */
  readonly isClosed: boolean;
  /** True if no row has a time before `bound`. */
  startsFrom(bound: bigint): boolean;
}

export interface SelectShape {
  readonly plan: SelectPlan;
  readonly answered: WhereAsked;
  /** The number of parts, without WHERE. */
  readonly size: number;
}

/** Answers for one WHERE, and records the questions. */
export class WhereAsked implements WhereAnswers {
  readonly filter: Expr | null;
  readonly isBounded: boolean;
  readonly isClosed: boolean;
  readonly #lowest: bigint | null;
  readonly #starts = new Map<bigint, boolean>();

  constructor(intervals: readonly Interval[], filter: Expr | null) {
    this.filter = filter;
    this.isBounded = isBounded(intervals);
    this.isClosed = intervals.length === 0 || hullOf(intervals) !== null;
    this.#lowest = lowestOf(intervals);
  }

  startsFrom(bound: bigint): boolean {
    const answer = this.#lowest !== null && this.#lowest >= bound;
    this.#starts.set(bound, answer);
    return answer;
  }

  /** True if another WHERE gives the same answers. Filters are equal only if neither exists. */
  fits(other: WhereAsked): boolean {
    if (this.filter !== null || other.filter !== null) return false;
    if (this.isBounded !== other.isBounded || this.isClosed !== other.isClosed) return false;
    for (const [bound, answer] of this.#starts) {
      if (other.startsFrom(bound) !== answer) return false;
    }
    return true;
  }
}

function lowestOf(intervals: readonly Interval[]): bigint | null {
  return intervals[0]?.start ?? null;
}
