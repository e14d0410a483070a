import { joinedTexts } from '../../../limits/made-text.js';
import { ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const concat = defineScalar({
  name: 'concat',
  documentation: {
    sentence: 'The texts joined; null if one of them is null.',
    example: "select concat(tag.hostname, '.', tag.region) from cpu.usage_user{hostname='host_1'}",
    answer: '"host_1.eu"',
  },
  parameters: [{ name: 'text', kind: 'text', isRepeated: true }],
  result: 'string',
  mayBeNull: false,
  evaluate: ofText((texts) => joinedTexts(texts)),
  lower: null,
});
