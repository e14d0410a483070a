import { checkedFloat, type Value } from '../../../values/value.js';

import { arithmetic } from '../arithmetic.js';
import { defineWindow } from '../window-function.js';

import type { WindowInput } from '../window-function.js';

export const derivative = defineWindow({
  name: 'derivative',
  documentation: {
    sentence: 'The change per second since the previous row.',
    example: 'select derivative(value) from temp where time >= 0',
    answer: 'null, 0.016666666666666666, 0.016666666666666666',
  },
  argument: 'number',
  extent: null,
  result: 'float',
  evaluate: (input) => (at) => slope(input, at),
});

function slope({ values, rows, unitsPerSecond }: WindowInput, at: number): Value {
  const [row, previous] = [rows[at], rows[at - 1]];
  if (row === undefined || previous === undefined) return null;
  const change = arithmetic('-', values[at] ?? null, values[at - 1] ?? null);
  if (change === null) return null;
  const seconds = Number(row.time - previous.time) / unitsPerSecond;
  return checkedFloat(Number(change) / seconds);
}
