import { defineAggregate } from '../aggregate-function.js';

import { percentile } from './percentile.js';

export const quantile = defineAggregate({
  ...percentile,
  name: 'quantile',
  documentation: {
    sentence: 'Same as `percentile`; the name in other languages.',
    example: 'select quantile(value, 0.75) from temp where time >= 0',
    answer: '22.5',
  },
});
