import { pairwise } from '../of-choices.js';
import { defineScalar } from '../scalar-function.js';

export const coalesce = defineScalar({
  name: 'coalesce',
  documentation: {
    sentence: 'The first argument that is not null.',
    example: 'select coalesce(nullif(value, 21), 0) from temp where time >= 0',
    answer: '20, 0, 24',
  },
  parameters: [{ name: 'x', kind: 'any', isRepeated: true }],
  result: 'shared',
  mayBeNull: false,
  choosesText: true,
  evaluate: (args) => args.find((arg) => arg !== null) ?? null,
  lower: pairwise('coalesce'),
});
