/** Suggests a metric when a name matched nothing, for errors. */

import { didYouMean, nearWord } from '../../common/model/nearest.js';
import { metricAsWritten } from '../../query/seriesql/language/written-name.js';

import { foundMetrics } from './found-metrics.js';

import type { SeriesStore } from '../../storage/storage.js';

/** The most metrics of the same prefix that are compared, in order. */
const kComparedMax = 2000;

/** A hint, or undefined if no name is similar. Never rejects: it explains another error. */
export async function meantMetric(
  storage: SeriesStore,
  metric: string,
): Promise<string | undefined> {
  const [prefix] = metric;
  const known = await metricNames(storage, prefix).catch((): readonly string[] => []);
  if (known.includes(metric)) {
    return `${metric} has no such series; write show series from ${metricAsWritten(metric)}`;
  }
  return didYouMean(metric, known);
}

/** The metric that was probably meant, or undefined if no name is similar. Never rejects. */
export async function nearMetric(
  storage: SeriesStore,
  metric: string,
): Promise<string | undefined> {
  const [prefix] = metric;
  const known = await metricNames(storage, prefix).catch((): readonly string[] => []);
  return nearWord(metric, known);
}

async function metricNames(
  storage: SeriesStore,
  prefix: string | undefined,
): Promise<readonly string[]> {
  const found = await foundMetrics(storage, { prefix, limit: kComparedMax });
  return found.map(({ metric }) => metric);
}
