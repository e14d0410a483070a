import { defineAggregate } from '../aggregate-function.js';
import { Variance } from '../variance.js';

export const variance = defineAggregate({
  name: 'variance',
  documentation: {
    sentence: 'The sample variance; null for one value.',
    example: 'select variance(value) from weather.room1 where time >= 0',
    answer: '0.625',
  },
  argument: 'number',
  result: 'float',
  accumulator: () => new Variance((variance) => variance),
  lower: { name: 'variance', operand: 'float' },
});
