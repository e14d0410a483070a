/** The order of metrics with silent series in lists. */

import { assert } from 'chai';

import { bySurprise } from '../../src/ui/data/silent-order.js';

import type { MetricHealth } from '../../src/client/client.js';

const metricOf = (
  metric: string,
  [silent, all]: readonly [number, number],
  last: bigint | null,
): MetricHealth =>
  ({
    ...{ metric, inactive_series_count: silent, series_count: all, last_ts: last },
  }) as MetricHealth;

describe('the order of silent metrics', () => {
  it('starts with one dead host among many, then the most recently silent', () => {
    const metrics = [
      metricOf('never', [1, 1], null),
      metricOf('old', [40, 40], 5n),
      metricOf('newer', [1, 1], 9n),
      metricOf('host', [1, 200], 8n),
      metricOf('half', [2, 4], 8n),
    ];
    const names = bySurprise(metrics).map(({ metric }) => metric);
    assert.deepEqual(names, ['host', 'half', 'newer', 'old', 'never']);
  });
});
