import { ofWhole } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const floor = defineScalar({
  name: 'floor',
  documentation: {
    sentence: 'The number rounded down to a whole number.',
    example: 'select floor(value) from weather.room1 where time between 10 and 30',
    answer: '20, 21, 21',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'first',
  mayBeNull: false,
  ...ofWhole('floor', Math.floor),
});
