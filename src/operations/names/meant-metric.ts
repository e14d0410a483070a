/** What was meant by the name of a metric that matched nothing, for errors. */

import { didYouMean } from '../../model/nearest.js';
import { metricAsWritten } from '../../seriesql/language/written-name.js';

import { findMetrics } from '../discovery.js';
import { textOf } from '../byte-streams.js';

import type { SeriesStore } from '../../storage/storage.js';

/** Metrics that are compared with it: those that begin alike, in order. */
const kComparedMax = 2000;

/** A hint, or undefined where nothing is near. Never rejects: it explains another error. */
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

async function metricNames(
  storage: SeriesStore,
  prefix: string | undefined,
): Promise<readonly string[]> {
  const limit = kComparedMax;
  const text = await textOf(findMetrics(storage, { prefix, labels: undefined, limit }));
  const found = JSON.parse(text) as readonly { metric?: string }[];
  return found.flatMap(({ metric = '' }) => metric);
}
