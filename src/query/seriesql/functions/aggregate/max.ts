import { defineAggregate } from '../aggregate-function.js';
import { Extreme } from '../extreme.js';

export const max = defineAggregate({
  name: 'max',
  documentation: {
    sentence: 'The largest value; -0 counts below +0.',
    example: 'select max(value) from temp where time >= 0',
    answer: '24',
  },
  argument: 'any',
  result: 'first',
  accumulator: ({ texts }) => new Extreme(1, 'value', texts),
  lower: { name: 'max', operand: 'asIs' },
});
