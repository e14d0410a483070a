/**
 * What of a SELECT's plan stands for all statements that differ in FROM and WHERE alone. It holds
 * as long as what its making asked of WHERE is answered alike, which is all that it asked: WHERE is
 * handed out as answers, so that nothing can be made of it unseen.
 */

import { hullOf, isBounded } from './intervals.js';

import type { Expr, Interval, SelectPlan } from './plan.js';

/** What the rest of a statement may know of its WHERE. */
export interface WhereAnswers {
  /** What is left to ask of each row; null: nothing. */
  readonly filter: Expr | null;
  /** Whether time is bounded on one side at least. */
  readonly isBounded: boolean;
  /** Whether it is on both; nothing at all is. */
  readonly isClosed: boolean;
  /** Whether no row has a time before `bound`. */
  startsFrom(bound: bigint): boolean;
}

export interface SelectShape {
  readonly plan: SelectPlan;
  readonly answered: WhereAsked;
  /** Parts of all but WHERE. */
  readonly size: number;
}

/** Answers for one WHERE, and notes what was asked. */
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

  /** Whether another WHERE answers all of it alike. Filters are compared by there being none. */
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
