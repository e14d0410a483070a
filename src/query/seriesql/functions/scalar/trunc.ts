import { ofWhole } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const trunc = defineScalar({
  name: 'trunc',
  documentation: {
    sentence: 'The number without its fraction.',
    example: 'select trunc(-value) from weather.room1 where time between 10 and 30',
    answer: '-20, -21, -21',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'first',
  mayBeNull: false,
  ...ofWhole('truncate', Math.trunc),
});
