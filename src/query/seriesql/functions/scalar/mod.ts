import { arithmetic } from '../arithmetic.js';
import { pairwise } from '../of-choices.js';
import { defineScalar } from '../scalar-function.js';

export const mod = defineScalar({
  name: 'mod',
  documentation: {
    sentence: 'Remainder of the division, with the sign of the first number, as `%`; null by zero.',
    example: 'select mod(value, 7) from temp where time >= 0',
    answer: '6, 0, 3',
  },
  parameters: [
    { name: 'x', kind: 'number' },
    { name: 'y', kind: 'number' },
  ],
  result: 'shared',
  mayBeNull: true,
  evaluate: ([x = null, y = null]) => arithmetic('%', x, y),
  lower: pairwise('modulo'),
});
