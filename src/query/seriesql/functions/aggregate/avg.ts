import { checkedFloat, type Value } from '../../../values/value.js';

import { defineAggregate } from '../aggregate-function.js';
import { CompensatedSum } from '../compensated-sum.js';

import type { Accumulator } from '../aggregate-function.js';

export const avg = defineAggregate({
  name: 'avg',
  documentation: {
    sentence: 'The mean.',
    example: 'select avg(value) from weather.room1 where time >= 0',
    answer: '21',
  },
  argument: 'number',
  result: 'float',
  accumulator: () => new Average(),
  lower: { name: 'avg', operand: 'float' },
});

class Average implements Accumulator {
  readonly #sum = new CompensatedSum();
  #count = 0;
  add(value: Exclude<Value, null>): void {
    this.#sum.add(Number(value));
    this.#count += 1;
  }
  result(): Value {
    return this.#count === 0 ? null : checkedFloat(this.#sum.total() / this.#count);
  }
}
