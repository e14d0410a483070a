import { ofMath } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const ln = defineScalar({
  name: 'ln',
  documentation: {
    sentence: 'The natural logarithm, null unless the number is above zero.',
    example: 'select ln(value - 20) from temp where time >= 0',
    answer: 'null, 0, 1.3862943611198906',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'float',
  mayBeNull: true,
  ...ofMath('ln', Math.log),
});
