import { defineWindow } from '../window-function.js';

export const lag = defineWindow({
  name: 'lag',
  documentation: {
    sentence: 'The value this many rows (default 1) before.',
    example: 'select lag(value) from temp where time >= 0',
    answer: 'null, 20, 21',
  },
  argument: 'any',
  extent: { kind: 'rows', least: 0n, fallback: 1 },
  result: 'first',
  evaluate: ({ values, extent }) => {
    const { rows } = extent;
    return (at) => values[at - rows] ?? null;
  },
});
