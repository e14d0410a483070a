import { compareValues } from '../../../values/value.js';

import { defineScalar } from '../scalar-function.js';

export const nullif = defineScalar({
  name: 'nullif',
  documentation: {
    sentence: 'Null if both are equal, else the first.',
    example: 'select nullif(value, 21) from temp where time >= 0',
    answer: '20, null, 24',
  },
  parameters: [
    { name: 'x', kind: 'any' },
    { name: 'y', kind: 'any' },
  ],
  result: 'first',
  mayBeNull: true,
  comparesArguments: true,
  evaluate: ([left = null, right = null]) =>
    left !== null && right !== null && compareValues(left, right) === 0 ? null : left,
  lower: ({ args: [x, y] }, to) => {
    const value = x.register();
    if (y === undefined || y.isNull) return value;
    return to.select(to.isEqual(value, y.register()), to.null(value.type), value);
  },
});
