import { SlidingSum } from '../sliding-sum.js';
import { defineWindow } from '../window-function.js';

export const movingAvg = defineWindow({
  name: 'moving_avg',
  documentation: {
    sentence: 'Mean of the non-null values in the last rows, or in the last duration.',
    example: 'select moving_avg(value, 2) from temp where time >= 0',
    answer: '20, 20.5, 22.5',
  },
  argument: 'number',
  extent: { kind: 'rows or duration', least: 1n },
  result: 'float',
  evaluate: ({ values, rows, extent }) => {
    const sum = new SlidingSum();
    let from = 0;
    return (at) => {
      const now = rows[at]?.time ?? 0n;
      const isOut = (index: number): boolean =>
        extent.duration === null
          ? index <= at - extent.rows
          : (rows[index]?.time ?? 0n) <= now - extent.duration;
      sum.push(values[at] ?? null);
      for (; isOut(from); from += 1) sum.shift();
      return sum.mean();
    };
  },
});
