import { checkedFloat, type Value } from '../../values/value.js';

import type { Accumulator } from './aggregate-function.js';

/** Interpolates linearly between the two values next to rank q · (n − 1). */
export class Percentile implements Accumulator {
  readonly #quantile: number;
  readonly #values: number[] = [];

  constructor(quantile: number) {
    this.#quantile = quantile;
  }

  add(value: Exclude<Value, null>): void {
    this.#values.push(Number(value));
  }

  result(): Value {
    const sorted = Float64Array.from(this.#values).sort();
    const rank = this.#quantile * (sorted.length - 1);
    const low = sorted[Math.floor(rank)];
    const high = sorted[Math.ceil(rank)];
    if (low === undefined || high === undefined) return null;
    const share = rank - Math.floor(rank);
    return checkedFloat(share === 0 ? low : low + (high - low) * share);
  }
}
