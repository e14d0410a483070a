import { checkedFloat, checkedInteger, type Value } from '../../../values/value.js';

import { defineAggregate } from '../aggregate-function.js';
import { CompensatedSum } from '../compensated-sum.js';

import type { Accumulator } from '../aggregate-function.js';

export const sum = defineAggregate({
  name: 'sum',
  documentation: {
    sentence: 'The exact sum, rounded once.',
    example: 'select sum(value) from temp where time >= 0',
    answer: '65',
  },
  argument: 'number',
  result: 'sum',
  accumulator: ({ argumentType }) => (argumentType === 'float' ? new FloatSum() : new IntegerSum()),
  lower: { name: 'sum', operand: 'asIs' },
});

class IntegerSum implements Accumulator {
  #sum: bigint | null = null;
  add(value: Exclude<Value, null>): void {
    if (typeof value === 'bigint') this.#sum = (this.#sum ?? 0n) + value;
  }
  result(): Value {
    return this.#sum === null ? null : checkedInteger(this.#sum);
  }
}

class FloatSum implements Accumulator {
  readonly #sum = new CompensatedSum();
  #isEmpty = true;
  add(value: Exclude<Value, null>): void {
    this.#sum.add(Number(value));
    this.#isEmpty = false;
  }
  result(): Value {
    return this.#isEmpty ? null : checkedFloat(this.#sum.total());
  }
}
