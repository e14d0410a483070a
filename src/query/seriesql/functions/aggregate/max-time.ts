import { defineAggregate } from '../aggregate-function.js';
import { Extreme } from '../extreme.js';

export const maxTime = defineAggregate({
  name: 'max_time',
  documentation: {
    sentence: 'Time of the largest value; the earliest if several are equal.',
    example: 'select max_time(value) from temp where time >= 0',
    answer: '240000',
  },
  argument: 'any',
  result: 'timestamp',
  accumulator: ({ texts }) => new Extreme(1, 'time', texts),
  lower: { name: 'max_time', operand: 'asIs' },
});
