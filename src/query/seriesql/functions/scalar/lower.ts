import { ofText, requiredMade } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const lower = defineScalar({
  name: 'lower',
  documentation: {
    sentence: 'The text in lower case.',
    example: "select lower(concat('The ', tag.room)) from temp",
    answer: '"the kitchen"',
  },
  parameters: [{ name: 'text', kind: 'text' }],
  result: 'string',
  mayBeNull: false,
  evaluate: ofText(([text = '']) => requiredMade(text.toLowerCase())),
  lower: null,
});
