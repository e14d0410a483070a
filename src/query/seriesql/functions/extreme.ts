import { compareValues, type Value } from '../../values/value.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { Accumulator, AggregatedRow } from './aggregate-function.js';

/**
 * The largest or smallest value, or the earliest time at which it occurred. For the value, -0 sorts
 * below +0; for the time, both are equal.
 */
export class Extreme implements Accumulator {
  readonly #direction: number;
  readonly #asked: 'value' | 'time';
  readonly #texts: TextAccount;
  #best: Value = null;
  #time: bigint | null = null;

  constructor(direction: 1 | -1, asked: 'value' | 'time', texts: TextAccount) {
    this.#direction = direction;
    this.#asked = asked;
    this.#texts = texts;
  }

  add(value: Exclude<Value, null>, row: AggregatedRow): void {
    const order = this.#best === null ? 1 : compareValues(value, this.#best) * this.#direction;
    if (order < 0) return;
    const isZero = order === 0 && value === 0;
    if (order > 0 || (isZero && Object.is(value, 0) === this.#direction > 0)) {
      this.#texts.replace(this.#best, value);
      this.#best = value;
    }
    if (order > 0 || row.time < (this.#time ?? row.time)) this.#time = row.time;
  }

  result(): Value {
    return this.#asked === 'time' ? this.#time : this.#best;
  }
}
