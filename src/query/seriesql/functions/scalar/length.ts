import { ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const length = defineScalar({
  name: 'length',
  documentation: {
    sentence: 'How many characters (code points) the text has.',
    example: "select length(tag.hostname) from cpu.usage_user{hostname='host_1'}",
    answer: '6',
  },
  parameters: [{ name: 'text', kind: 'text' }],
  result: 'integer',
  mayBeNull: false,
  evaluate: ofText(([text = '']) => BigInt(Array.from(text).length)),
  lower: null,
});
