import { defineAggregate } from '../aggregate-function.js';

import type { TextAccount } from '../../../limits/text-account.js';
import type { Value } from '../../../values/value.js';
import type { Accumulator } from '../aggregate-function.js';

export const count = defineAggregate({
  name: 'count',
  documentation: {
    sentence: 'Number of rows (`*`), of non-null values, or of distinct values.',
    example: 'select count(*) from temp where time >= 0',
    answer: '3',
  },
  argument: 'any',
  result: 'integer',
  isNeverNull: true,
  takesStar: true,
  accumulator: () => new Count(),
  lower: { name: 'count', operand: 'presence' },
  distinct: {
    accumulator: ({ texts }) => new CountDistinct(texts),
    holdsValues: true,
    lower: { name: 'count_distinct', operand: 'asIs' },
  },
});

class Count implements Accumulator {
  #count = 0n;
  add(): void {
    this.#count += 1n;
  }
  result(): Value {
    return this.#count;
  }
}

class CountDistinct implements Accumulator {
  readonly #seen = new Set<Value>();
  readonly #texts: TextAccount;
  constructor(texts: TextAccount) {
    this.#texts = texts;
  }
  add(value: Exclude<Value, null>): void {
    if (typeof value === 'string' && !this.#seen.has(value)) this.#texts.holdText(value);
    // -0 and 0 are one value.
    this.#seen.add(value === 0 ? 0 : value);
  }
  result(): Value {
    return BigInt(this.#seen.size);
  }
}
