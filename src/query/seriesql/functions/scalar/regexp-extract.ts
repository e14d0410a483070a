import { ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

export const regexpExtract = defineScalar({
  name: 'regexp_extract',
  documentation: {
    sentence: 'First match of a group of the pattern (0: the whole pattern), or null.',
    example:
      "select regexp_extract(tag.hostname, '_([0-9]+)', 1) from cpu.usage_user{hostname='host_1'}",
    answer: '"1"',
  },
  parameters: [
    { name: 'text', kind: 'text' },
    { name: 'pattern', kind: 'pattern' },
    { name: 'group', kind: 'group', isOptional: true },
  ],
  result: 'string',
  mayBeNull: true,
  evaluate: ofText(([text = '', pattern = ''], args, { patternOf }) =>
    patternOf(pattern).extract(text, Number(args[2] ?? 0n)),
  ),
  lower: null,
});
