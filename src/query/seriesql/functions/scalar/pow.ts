import { ofMath } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const pow = defineScalar({
  name: 'pow',
  documentation: {
    sentence: 'The first number to the power of the second.',
    example: 'select pow(value, 2) from temp where time >= 0',
    answer: '400, 441, 576',
  },
  parameters: [
    { name: 'x', kind: 'number' },
    { name: 'exponent', kind: 'number' },
  ],
  result: 'float',
  mayBeNull: true,
  ...ofMath('pow', Math.pow),
});
