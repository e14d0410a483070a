import { defineWindow } from '../window-function.js';

export const lead = defineWindow({
  name: 'lead',
  documentation: {
    sentence: 'The value this many rows (default 1) after.',
    example: 'select lead(value) from temp where time >= 0',
    answer: '21, 24, null',
  },
  argument: 'any',
  extent: { kind: 'rows', least: 0n, fallback: 1 },
  result: 'first',
  evaluate: ({ values, extent }) => {
    const { rows } = extent;
    return (at) => values[at + rows] ?? null;
  },
});
