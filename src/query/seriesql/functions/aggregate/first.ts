import { defineAggregate } from '../aggregate-function.js';
import { Edge } from '../edge.js';

export const first = defineAggregate({
  name: 'first',
  documentation: {
    sentence: 'The earliest non-null value; at equal times that of the smallest `series_id`.',
    example: 'select first(value) from temp',
    answer: '20',
  },
  argument: 'any',
  result: 'first',
  isAtAnEnd: true,
  accumulator: ({ texts }) => new Edge(-1, texts),
  lower: { name: 'first', operand: 'asIs' },
});
