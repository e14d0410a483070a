import { defineAggregate } from '../aggregate-function.js';
import { Extreme } from '../extreme.js';

export const minTime = defineAggregate({
  name: 'min_time',
  documentation: {
    sentence: 'Time of the smallest value; the earliest if several are equal.',
    example: 'select min_time(value) from temp where time >= 0',
    answer: '0',
  },
  argument: 'any',
  result: 'timestamp',
  accumulator: ({ texts }) => new Extreme(-1, 'time', texts),
  lower: { name: 'min_time', operand: 'asIs' },
});
