import { extremeOf, pairwise } from '../of-choices.js';
import { defineScalar } from '../scalar-function.js';

export const least = defineScalar({
  name: 'least',
  documentation: {
    sentence: 'The smallest argument that is not null.',
    example: 'select least(value, 21, null) from temp where time >= 0',
    answer: '20, 21, 21',
  },
  parameters: [{ name: 'x', kind: 'any', isRepeated: true }],
  result: 'shared',
  mayBeNull: false,
  evaluate: extremeOf(-1),
  lower: pairwise('least'),
});
