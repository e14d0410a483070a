/** Labels of a metric or family, for the hints of errors. */

import { foundMetrics } from './found-metrics.js';

import type { SeriesStore } from '../../storage/storage.js';

/** The most metrics of a family whose labels are collected. */
const kMetricsMax = 100;

interface NamedMetricSource {
  readonly name: string;
  /** True if `name` is a prefix without its last dot. */
  readonly isFamily: boolean;
}

/** Never rejects: it explains another error. */
export async function labelKeysOf(
  storage: SeriesStore,
  { name, isFamily }: NamedMetricSource,
): Promise<readonly string[]> {
  const asked = isFamily ? { prefix: `${name}.`, limit: kMetricsMax } : { metric: name, limit: 1 };
  const found = await foundMetrics(storage, asked).catch(() => []);
  return [...new Set(found.flatMap(({ label_keys: keys = [] }) => keys))];
}
