import { defineAggregate } from '../aggregate-function.js';
import { Differences } from '../differences.js';

import type { DifferenceRun } from '../differences.js';

export const irate = defineAggregate({
  name: 'irate',
  documentation: {
    sentence: 'Increase per second between the last two samples, summed over series.',
    example: 'select irate(value) from requests_total where time >= 0',
    answer: '0.5',
  },
  argument: 'number',
  result: 'float',
  isOfCounters: true,
  isPerSeries: true,
  accumulator: ({ unitsPerSecond }) => new Differences(lastPerSecond, unitsPerSecond),
  lower: null,
});

function lastPerSecond({ lastStep }: DifferenceRun): number | null {
  return lastStep === null ? null : lastStep.change / lastStep.seconds;
}
