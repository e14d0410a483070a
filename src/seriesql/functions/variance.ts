import { checkedFloat, type Value } from '../language/value.js';

import type { Accumulator } from './aggregate-function.js';

/** What is asked of the sample form of the variance; Welford's method, which does not cancel. */
export class Variance implements Accumulator {
  readonly #finish: (variance: number) => number;
  #count = 0;
  #mean = 0;
  #squares = 0;

  constructor(finish: (variance: number) => number) {
    this.#finish = finish;
  }

  add(value: Exclude<Value, null>): void {
    const number = Number(value);
    this.#count += 1;
    const step = number - this.#mean;
    this.#mean += step / this.#count;
    this.#squares += step * (number - this.#mean);
  }

  result(): Value {
    if (this.#count < 2) return null;
    return checkedFloat(this.#finish(this.#squares / (this.#count - 1)));
  }
}
