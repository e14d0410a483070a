import { kTextMax, ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

import type { Value } from '../../language/value.js';

export const replace = defineScalar({
  name: 'replace',
  documentation: {
    sentence: 'The text with every place of a part replaced.',
    example: "select replace(tag.hostname, '_', '-') from cpu.usage_user{hostname='host_1'}",
    answer: '"host-1"',
  },
  parameters: [
    { name: 'text', kind: 'text' },
    { name: 'part', kind: 'text' },
    { name: 'by', kind: 'text' },
  ],
  result: 'string',
  mayBeNull: true,
  evaluate: ofText(([text = '', part = '', by = '']) => replaceAll(text, part, by)),
  lower: null,
});

function replaceAll(text: string, part: string, by: string): Value {
  if (part === '') return text;
  const pieces = text.split(part);
  const length = text.length + (pieces.length - 1) * (by.length - part.length);
  return length > kTextMax ? null : pieces.join(by);
}
