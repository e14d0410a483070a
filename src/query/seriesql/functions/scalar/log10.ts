import { ofMath } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const log10 = defineScalar({
  name: 'log10',
  documentation: {
    sentence: 'The logarithm to base 10, null unless the number is above zero.',
    example: 'select log10(value * 5) from temp where time >= 0',
    answer: '2, 2.0211892990699383, 2.0791812460476247',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'float',
  mayBeNull: true,
  ...ofMath('log10', Math.log10),
});
