import { checkedFloat } from '../../../values/value.js';

import { defineWindow } from '../window-function.js';

export const ema = defineWindow({
  name: 'ema',
  documentation: {
    sentence:
      'Exponential moving average; after this duration a value’s weight has fallen by the factor e.',
    example: 'select ema(value, 1m) from temp where time >= 0',
    answer: '20, 20.632120558828557, 23.832323156007675',
  },
  argument: 'number',
  extent: { kind: 'duration' },
  result: 'float',
  evaluate: ({ values, rows, extent }) => {
    const duration = Number(extent.duration ?? 1n);
    let mean: number | null = null;
    let lastTime = 0n;
    // The share is 1 − e^(−Δt/d). Nulls leave the mean unchanged.
    return (at) => {
      const value = values[at] ?? null;
      if (value === null) return mean;
      const time = rows[at]?.time ?? 0n;
      const share = 1 - Math.exp(-Number(time - lastTime) / duration);
      mean = mean === null ? Number(value) : mean + share * (Number(value) - mean);
      lastTime = time;
      return checkedFloat(mean);
    };
  },
});
