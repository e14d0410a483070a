import { defineAggregate } from '../aggregate-function.js';
import { Percentile } from '../percentile.js';

export const median = defineAggregate({
  name: 'median',
  documentation: {
    sentence: 'The middle value, or the mean of the two middle values.',
    example: 'select median(value) from temp where time >= 0',
    answer: '21',
  },
  argument: 'number',
  result: 'float',
  accumulator: () => new Percentile(0.5),
  holdsValues: true,
  lower: { name: 'percentile', quantile: 0.5, operand: 'float' },
});
