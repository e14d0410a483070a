import { utf8Size } from '../../../../common/model/names.js';
import { requireMadeSize } from '../../../limits/made-text.js';
import { ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const replace = defineScalar({
  name: 'replace',
  documentation: {
    sentence: 'The text with every occurrence of a part replaced.',
    example: "select replace(tag.hostname, '_', '-') from cpu.usage_user{hostname='host_1'}",
    answer: '"host-1"',
  },
  parameters: [
    { name: 'text', kind: 'text' },
    { name: 'part', kind: 'text' },
    { name: 'by', kind: 'text' },
  ],
  result: 'string',
  mayBeNull: false,
  evaluate: ofText(([text = '', part = '', by = '']) => replaceAll(text, part, by)),
  lower: null,
});

function replaceAll(text: string, part: string, by: string): string {
  if (part === '') return text;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  const sizeBy = (sizeOf: (one: string) => number): number =>
    sizeOf(text) + count * (sizeOf(by) - sizeOf(part));
  requireMadeSize(
    sizeBy(({ length }) => length),
    () => sizeBy(utf8Size),
  );
  return text.replaceAll(part, () => by);
}
