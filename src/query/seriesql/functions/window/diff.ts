import { arithmetic } from '../arithmetic.js';
import { defineWindow } from '../window-function.js';

import type { Value } from '../../../values/value.js';

export const diff = defineWindow({
  name: 'diff',
  documentation: {
    sentence: 'The value minus the previous one.',
    example: 'select diff(value) from temp where time >= 0',
    answer: 'null, 1, 3',
  },
  argument: 'number',
  extent: null,
  result: 'difference',
  evaluate: ({ values }) => {
    const valueAt = (at: number): Value => values[at] ?? null;
    return (at) => arithmetic('-', valueAt(at), valueAt(at - 1));
  },
});
