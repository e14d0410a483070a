import { defineAggregate } from '../aggregate-function.js';
import { Variance } from '../variance.js';

export const stddev = defineAggregate({
  name: 'stddev',
  documentation: {
    sentence: 'The sample standard deviation; null for one value.',
    example: 'select stddev(value) from weather.room1 where time >= 0',
    answer: '0.7905694150420949',
  },
  argument: 'number',
  result: 'float',
  accumulator: () => new Variance(Math.sqrt),
  lower: { name: 'stddev', operand: 'float' },
});
