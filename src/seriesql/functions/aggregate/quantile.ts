import { defineAggregate } from '../aggregate-function.js';

import { percentile } from './percentile.js';

export const quantile = defineAggregate({
  ...percentile,
  name: 'quantile',
  documentation: {
    sentence: 'The same as `percentile`, under the name that other languages have for it.',
    example: 'select quantile(value, 0.75) from temp where time >= 0',
    answer: '22.5',
  },
});
