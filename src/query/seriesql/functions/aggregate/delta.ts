import { defineAggregate } from '../aggregate-function.js';
import { Differences, increaseOf } from '../differences.js';

export const delta = defineAggregate({
  name: 'delta',
  documentation: {
    sentence: 'Last value minus the first, summed over series; for a counter its increase.',
    example: 'select delta(value) from temp where time >= 0',
    answer: '4',
  },
  argument: 'number',
  result: 'float',
  isPerSeries: true,
  isGrowth: true,
  accumulator: ({ unitsPerSecond }) => new Differences(increaseOf, unitsPerSecond),
  lower: { name: 'delta', operand: 'float' },
});
