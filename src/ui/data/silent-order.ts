/** Orders metrics with silent series, the most surprising first. */

import type { MetricHealth } from '../../client/client.js';

/** Metrics with a small share of silent series come first; ties by last sample, newest first. */
export function bySurprise(metrics: readonly MetricHealth[]): readonly MetricHealth[] {
  const share = (one: MetricHealth): number =>
    one.inactive_series_count / Math.max(1, one.series_count);
  const lastOf = ({ last_ts: last }: MetricHealth): bigint => last ?? -(2n ** 63n);
  return [...metrics].sort(
    (one, two) =>
      share(one) - share(two) ||
      Number(lastOf(two) > lastOf(one)) - Number(lastOf(two) < lastOf(one)),
  );
}
