import { checkedInteger } from '../../../values/value.js';

import { keepingType, ofNumber } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const abs = defineScalar({
  name: 'abs',
  documentation: {
    sentence: 'The number without its sign.',
    example: 'select abs(value - 21) from temp where time >= 0',
    answer: '1, 0, 3',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'number',
  mayBeNull: true,
  evaluate: ofNumber((value) => checkedInteger(value < 0n ? -value : value), Math.abs),
  lower: keepingType('absolute'),
});
