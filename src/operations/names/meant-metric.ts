/** Suggests a metric when a name matched nothing, for errors. */

import { didYouMean, kComparedMax, namesLike } from '../../common/model/nearest.js';
import { metricAsWritten } from '../../query/seriesql/language/written-name.js';

import { foundMetrics } from './found-metrics.js';

import type { SeriesStore } from '../../storage/storage.js';

/** A hint, or undefined if no name is similar. Never rejects: it explains another error. */
export async function meantMetric(
  storage: SeriesStore,
  metric: string,
): Promise<string | undefined> {
  const known = await namesLike(metric, (prefix) => metricNames(storage, prefix)).catch(none);
  if (known.includes(metric)) {
    return `${metric} has no such series; write show series from ${metricAsWritten(metric)}`;
  }
  return didYouMean(metric, known);
}

const none = (): readonly string[] => [];

/** The first names with a prefix, of which `namesLike` compares all. */
export async function metricNames(
  storage: SeriesStore,
  prefix: string,
): Promise<readonly string[]> {
  const found = await foundMetrics(storage, { prefix, limit: kComparedMax });
  return found.map(({ metric }) => metric);
}
