import { defineAggregate } from '../aggregate-function.js';
import { Differences } from '../differences.js';

export const integral = defineAggregate({
  name: 'integral',
  documentation: {
    sentence: 'The area under the line through the values, time in seconds, summed over series.',
    example: 'select integral(value) from temp where time >= 0',
    answer: '5280',
  },
  argument: 'number',
  result: 'float',
  isPerSeries: true,
  accumulator: ({ unitsPerSecond }) => new Differences(({ area }) => area.total(), unitsPerSecond),
  lower: { name: 'integral', operand: 'float' },
});
