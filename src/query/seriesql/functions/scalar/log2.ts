import { ofMath } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const log2 = defineScalar({
  name: 'log2',
  documentation: {
    sentence: 'The logarithm to base 2, null unless the number is above zero.',
    example: 'select log2(value - 20) from temp where time >= 0',
    answer: 'null, 0, 2',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'float',
  mayBeNull: true,
  ...ofMath('log2', Math.log2),
});
