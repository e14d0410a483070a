import { keepingType, ofNumber } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const sign = defineScalar({
  name: 'sign',
  documentation: {
    sentence: '-1, 0 or 1 for a number below, at or above zero.',
    example: 'select sign(value - 21) from temp where time >= 0',
    answer: '-1, 0, 1',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'number',
  mayBeNull: false,
  evaluate: ofNumber((value) => (value < 0n ? -1n : value > 0n ? 1n : 0n), Math.sign),
  lower: keepingType('sign'),
});
