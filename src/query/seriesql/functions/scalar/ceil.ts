import { ofWhole } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

export const ceil = defineScalar({
  name: 'ceil',
  documentation: {
    sentence: 'The number rounded up to a whole number.',
    example: 'select ceil(value) from weather.room1 where time between 10 and 30',
    answer: '21, 21, 22',
  },
  parameters: [{ name: 'x', kind: 'number' }],
  result: 'first',
  mayBeNull: false,
  ...ofWhole('ceil', Math.ceil),
});
