/** What a query holds at a time, counted before it is made. */

import { AppError } from '../../errors/app-error.js';

export class Cells {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** So many may still be taken. */
  get left(): number {
    return this.#max - this.#held;
  }

  /** Throws `query_limit_exceeded`. */
  take(count: number): void {
    if (count > this.left) {
      throw new AppError(
        'query_limit_exceeded',
        `the query holds more than max_query_cells = ${this.#max} values at a time; narrow it down`,
      );
    }
    this.#held += count;
  }

  giveBack(count: number): void {
    this.#held -= count;
  }
}
