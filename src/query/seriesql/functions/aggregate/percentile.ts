import { defineAggregate } from '../aggregate-function.js';
import { Percentile } from '../percentile.js';

export const percentile = defineAggregate({
  name: 'percentile',
  documentation: {
    sentence: 'The value at rank q (0 to 1) times n - 1, linear between its neighbours.',
    example: 'select percentile(value, 0.75) from temp where time >= 0',
    answer: '22.5',
  },
  argument: 'number',
  second: 'quantile',
  result: 'float',
  accumulator: ({ quantile }) => new Percentile(quantile),
  holdsValues: true,
  lower: { name: 'percentile', quantile: 'given', operand: 'float' },
});
