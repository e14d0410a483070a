/** The order of metrics with silent series: the most surprising ones first. */

import type { MetricHealth } from '../../client/client.js';

/** First where few of many series fell silent, last where all did, there the newest first. */
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
