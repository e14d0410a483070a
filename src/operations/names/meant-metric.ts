/** Suggests a metric when a name matched nothing, for errors. */

import { didYouMean } from '../../common/model/nearest.js';
import { metricAsWritten } from '../../query/seriesql/language/written-name.js';

import { foundMetrics } from './found-metrics.js';

import type { SeriesStore } from '../../storage/storage.js';

/** The most metrics with the same beginning that are compared, in order. */
export const kComparedMax = 2000;
/** The beginning, in characters; the longer one where too many names share the shorter one. */
const kShortBeginning = 1;
const kLongBeginning = 4;

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

/** Names of the same beginning. `namesFrom` gives the first `kComparedMax` with a prefix. */
export async function namesLike(
  metric: string,
  namesFrom: (prefix: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const names = await namesFrom(beginning(metric, kShortBeginning));
  if (names.length < kComparedMax) return names;
  return [...names, ...(await namesFrom(beginning(metric, kLongBeginning)))];
}

const beginning = (text: string, count: number): string =>
  Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');

const none = (): readonly string[] => [];

/** The first names with a prefix, of which `namesLike` compares all. */
export async function metricNames(
  storage: SeriesStore,
  prefix: string,
): Promise<readonly string[]> {
  const found = await foundMetrics(storage, { prefix, limit: kComparedMax });
  return found.map(({ metric }) => metric);
}
