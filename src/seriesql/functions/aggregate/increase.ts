import { defineAggregate } from '../aggregate-function.js';
import { Differences, increaseOf } from '../differences.js';

export const increase = defineAggregate({
  name: 'increase',
  documentation: {
    sentence: 'How much a counter grew, resets heeded, summed over series; of a gauge delta.',
    example: 'select increase(value) from requests_total where time >= 0',
    answer: '12',
  },
  argument: 'number',
  result: 'float',
  accumulator: ({ unitsPerSecond }) => new Differences(increaseOf, unitsPerSecond),
  lower: { name: 'increase', operand: 'float' },
});
