import { checkedFloat, checkedInteger } from '../../../values/value.js';

import { defineWindow } from '../window-function.js';

export const cumulativeSum = defineWindow({
  name: 'cumulative_sum',
  documentation: {
    sentence: 'The sum of all values so far.',
    example: 'select cumulative_sum(value) from temp where time >= 0',
    answer: '20, 41, 65',
  },
  argument: 'number',
  extent: null,
  result: 'sum',
  evaluate: ({ values }) => {
    let integers: bigint | null = null;
    let floats: number | null = null;
    // Nulls add nothing. A sum that overflows its type stays null.
    return (at) => {
      const value = values[at] ?? null;
      if (typeof value === 'bigint') integers = (integers ?? 0n) + value;
      if (typeof value === 'number') floats = (floats ?? 0) + value;
      if (integers !== null) return checkedInteger(integers);
      return floats === null ? null : checkedFloat(floats);
    };
  },
});
