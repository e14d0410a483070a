import { defineWindow } from '../window-function.js';

import type { Value } from '../../../values/value.js';

export const fillForward = defineWindow({
  name: 'fill_forward',
  documentation: {
    sentence: 'The value, or the last one that is not null.',
    example: 'select fill_forward(nullif(value, 21)) from temp where time >= 0',
    answer: '20, 20, 24',
  },
  argument: 'any',
  extent: null,
  result: 'first',
  evaluate: ({ values }) => {
    let last: Value = null;
    return (at) => {
      last = values[at] ?? last;
      return last;
    };
  },
});
