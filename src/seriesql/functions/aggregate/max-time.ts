import { defineAggregate } from '../aggregate-function.js';
import { Extreme } from '../extreme.js';

export const maxTime = defineAggregate({
  name: 'max_time',
  documentation: {
    sentence: 'When the largest value stood, the earliest of equals.',
    example: 'select max_time(value) from temp where time >= 0',
    answer: '240000',
  },
  argument: 'any',
  result: 'timestamp',
  accumulator: ({ texts }) => new Extreme(1, 'time', texts),
  lower: { name: 'max_time', operand: 'asIs' },
});
