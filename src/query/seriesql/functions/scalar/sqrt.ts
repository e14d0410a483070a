import { checkedFloat } from '../../../values/value.js';

import { defineScalar } from '../scalar-function.js';

export const sqrt = defineScalar({
  name: 'sqrt',
  documentation: {
    sentence: 'The square root; null for a number below zero.',
    example: 'select sqrt(value - 20) from temp where time >= 0',
    answer: '0, 1, 2',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'float',
  mayBeNull: true,
  evaluate: ([value = null]) => (value === null ? null : checkedFloat(Math.sqrt(Number(value)))),
  lower: ({ args: [value] }, to) => to.step('root', 'float', [to.toFloat(value.register()).at]),
});
