import { ofText, requiredMade } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const upper = defineScalar({
  name: 'upper',
  documentation: {
    sentence: 'The text in upper case.',
    example: 'select upper(tag.room) from temp',
    answer: '"KITCHEN"',
  },
  parameters: [{ name: 'text', kind: 'text' }],
  result: 'string',
  mayBeNull: false,
  evaluate: ofText(([text = '']) => requiredMade(text.toUpperCase())),
  lower: null,
});
