import { ofMath } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const exp = defineScalar({
  name: 'exp',
  documentation: {
    sentence: "Euler's number e to the power of x.",
    example: 'select exp(value - 20) from temp where time >= 0',
    answer: '1, 2.718281828459045, 54.598150033144236',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'float',
  mayBeNull: true,
  ...ofMath('exp', Math.exp),
});
