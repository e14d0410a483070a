import { defineAggregate } from '../aggregate-function.js';
import { Differences, increaseOf } from '../differences.js';

import type { DifferenceRun } from '../differences.js';

export const rate = defineAggregate({
  name: 'rate',
  documentation: {
    sentence: 'Increase per second from the first sample to the last, summed over series.',
    example: 'select rate(value) from requests_total where time >= 0',
    answer: '0.4',
  },
  argument: 'number',
  result: 'float',
  isOfCounters: true,
  isPerSeries: true,
  accumulator: ({ unitsPerSecond }) => new Differences(perSecond, unitsPerSecond),
  lower: { name: 'rate', operand: 'float' },
});

function perSecond(run: DifferenceRun, unitsPerSecond: number): number | null {
  const seconds = Number(run.lastTime - run.firstTime) / unitsPerSecond;
  return run.lastStep === null ? null : increaseOf(run) / seconds;
}
