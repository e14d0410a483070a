import { ofText } from '../of-texts.js';
import { defineScalar } from '../scalar-function.js';

import type { Value } from '../../../values/value.js';

export const substr = defineScalar({
  name: 'substr',
  documentation: {
    sentence: 'The characters from `start` on (counted from 1): this many, or all.',
    example: "select substr(tag.hostname, 6, 1) from cpu.usage_user{hostname='host_1'}",
    answer: '"1"',
  },
  parameters: [
    { name: 'text', kind: 'text' },
    { name: 'start', kind: 'integer' },
    { name: 'count', kind: 'integer', isOptional: true },
  ],
  result: 'string',
  mayBeNull: false,
  evaluate: ofText(([text = ''], args) => partOf(text, args)),
  lower: null,
});

/** Positions outside the text are ignored. */
function partOf(text: string, args: readonly Value[]): string {
  const characters = Array.from(text);
  const start = typeof args[1] === 'bigint' ? args[1] : 1n;
  const count = typeof args[2] === 'bigint' ? args[2] : BigInt(characters.length) + 1n - start;
  const clamp = (place: bigint): number => {
    const size = BigInt(characters.length);
    return Number(place < 0n ? 0n : place > size ? size : place);
  };
  return characters
    .slice(clamp(start - 1n), clamp(start - 1n + (count < 0n ? 0n : count)))
    .join('');
}
