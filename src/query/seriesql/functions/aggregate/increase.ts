import { defineAggregate } from '../aggregate-function.js';
import { Differences, increaseOf } from '../differences.js';

export const increase = defineAggregate({
  name: 'increase',
  documentation: {
    sentence: 'Growth of a counter, corrected for resets, summed over series; for a gauge delta.',
    example: 'select increase(value) from requests_total where time >= 0',
    answer: '12',
  },
  argument: 'number',
  result: 'float',
  isOfCounters: true,
  isPerSeries: true,
  isGrowth: true,
  accumulator: ({ unitsPerSecond }) => new Differences(increaseOf, unitsPerSecond),
  lower: { name: 'increase', operand: 'float' },
});
