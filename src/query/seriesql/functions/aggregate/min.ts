import { defineAggregate } from '../aggregate-function.js';
import { Extreme } from '../extreme.js';

export const min = defineAggregate({
  name: 'min',
  documentation: {
    sentence: 'The smallest value; -0 counts below +0.',
    example: 'select min(value) from temp where time >= 0',
    answer: '20',
  },
  argument: 'any',
  result: 'first',
  accumulator: ({ texts }) => new Extreme(-1, 'value', texts),
  lower: { name: 'min', operand: 'asIs' },
});
