import { extremeOf, pairwise } from '../of-choices.js';
import { defineScalar } from '../scalar-function.js';

export const greatest = defineScalar({
  name: 'greatest',
  documentation: {
    sentence: 'The largest argument that is not null.',
    example: 'select greatest(value, 21, null) from temp where time >= 0',
    answer: '21, 21, 24',
  },
  parameters: [{ name: 'x', kind: 'any', isRepeated: true }],
  result: 'shared',
  mayBeNull: false,
  evaluate: extremeOf(1),
  lower: pairwise('greatest'),
});
