import { defineAggregate } from '../aggregate-function.js';
import { Edge } from '../edge.js';

export const last = defineAggregate({
  name: 'last',
  documentation: {
    sentence: 'The latest non-null value; at equal times that of the largest `series_id`.',
    example: 'select last(value) from temp',
    answer: '24',
  },
  argument: 'any',
  result: 'first',
  isAtAnEnd: true,
  accumulator: ({ texts }) => new Edge(1, texts),
  lower: { name: 'last', operand: 'asIs' },
});
