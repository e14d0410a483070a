import { checkedFloat, type Value } from '../../values/value.js';

interface PartialSum {
  readonly sum: number;
  readonly count: number;
}

const nothing: PartialSum = { sum: 0, count: 0 };

/**
 * A queue with the sum of its values, in constant time on average. It never subtracts, since that
 * would keep rounding errors of removed values. It consists of two stacks, each with sums from its
 * bottom.
 */
export class SlidingSum {
  readonly #out: PartialSum[] = [];
  readonly #in: Value[] = [];
  #inSum = nothing;

  push(value: Value): void {
    this.#in.push(value);
    this.#inSum = plus(this.#inSum, value);
  }

  shift(): void {
    if (this.#out.length === 0) {
      let sum = nothing;
      for (let value = this.#in.pop(); value !== undefined; value = this.#in.pop()) {
        sum = plus(sum, value);
        this.#out.push(sum);
      }
      this.#inSum = nothing;
    }
    this.#out.pop();
  }

  /** The mean of the values that are not null. */
  mean(): Value {
    const out = this.#out.at(-1) ?? nothing;
    const count = out.count + this.#inSum.count;
    return count === 0 ? null : checkedFloat((out.sum + this.#inSum.sum) / count);
  }
}

function plus({ sum, count }: PartialSum, value: Value): PartialSum {
  return value === null ? { sum, count } : { sum: sum + Number(value), count: count + 1 };
}
