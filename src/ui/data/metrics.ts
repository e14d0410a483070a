/** Search for metrics. */

import { ask } from './server.js';
import { metricsWithWord } from '../statements.js';

import type { MetricDescriptor, SeriesDbClient } from '../../client/client.js';

/** Metrics per request. A complete index is searched without a request. */
export const kPageRows = 2_000;
/** The most names that contain the word; each needs a request of its own. */
const kInsideMax = 200;
/** Concurrent requests for single descriptors. */
const kInFlight = 6;

/** The metrics that the page has loaded, by name. */
export interface MetricIndex {
  readonly metrics: readonly MetricDescriptor[];
  /** True if there are no others. */
  readonly isWhole: boolean;
}

export interface FoundMetrics {
  readonly metrics: readonly MetricDescriptor[];
  /** True if there are more than are listed. */
  readonly isCut: boolean;
}

export const noIndex: MetricIndex = { metrics: [], isWhole: false };

/** Loads at least `count` metrics, if there are as many. Skips metrics that are already known. */
export async function loadIndex(
  known: MetricIndex,
  count: number,
  signal: AbortSignal,
): Promise<MetricIndex> {
  const metrics = [...known.metrics];
  let { isWhole } = known;
  while (!isWhole && metrics.length < count) {
    const last = metrics.at(-1)?.metric;
    const behind = last === undefined ? {} : { after: last };
    const filter = { ...behind, limit: kPageRows };
    const page = await ask((client) => client.findMetrics(filter, { signal }));
    for (const one of page) metrics.push(one);
    isWhole = page.length < kPageRows;
  }
  return { metrics, isWhole };
}

/**
 * Searches `metrics`. Names that start with `word` come first, then names that contain it. Last
 * come metrics with a matching label key, or in `labelled`.
 */
export function metricsAmong(
  metrics: readonly MetricDescriptor[],
  word: string,
  labelled: ReadonlySet<string>,
): FoundMetrics {
  const wanted = word.toLowerCase();
  const rankOf = ({ metric, label_keys: keys }: MetricDescriptor): number => {
    const at = metric.toLowerCase().indexOf(wanted);
    if (at >= 0) return Math.min(at, 1);
    const hasKey = keys.some((key) => key.toLowerCase().includes(wanted));
    return hasKey || labelled.has(metric) ? 2 : 3;
  };
  const ranked = metrics.map((one) => ({ one, rank: rankOf(one) })).filter(({ rank }) => rank < 3);
  ranked.sort((one, two) => one.rank - two.rank);
  return { metrics: ranked.map(({ one }) => one), isCut: false };
}

/** The most labels that are searched. */
const kKeysMax = 20;

/** The labels of these metrics, the most common first. */
function keysOf(metrics: readonly MetricDescriptor[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label_keys: keys } of metrics) {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, two]) => two - one);
  return sorted.slice(0, kKeysMax).map(([key]) => key);
}

/** The names of metrics with a label value that contains the word. */
export async function labelledMetrics(
  metrics: readonly MetricDescriptor[],
  word: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const keys = keysOf(metrics);
  if (keys.length === 0) return new Set();
  return new Set(await namesWith(word, { keys, limit: kPageRows }, signal));
}

/** The same search on the server; the labels of `known` are searched. */
export async function findMetrics(
  word: string,
  known: readonly MetricDescriptor[],
  signal: AbortSignal,
): Promise<FoundMetrics> {
  const wanted = { keys: keysOf(known), limit: kInsideMax + 1 };
  const [atBegin, names] = await Promise.all([
    ask((client) => client.findMetrics({ prefix: word, limit: kPageRows }, { signal })),
    namesWith(word, wanted, signal),
  ]);
  const begun = new Set(atBegin.map((one) => one.metric));
  const others = names.filter((name) => !begun.has(name)).slice(0, kInsideMax);
  const inside = await ask((client) => descriptors(client, others, signal));
  const isCut = atBegin.length === kPageRows || names.length > kInsideMax;
  return { metrics: [...atBegin, ...inside], isCut };
}

async function namesWith(
  word: string,
  wanted: { readonly keys: readonly string[]; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const statement = metricsWithWord(word, wanted);
  const { rows } = await ask((client) => client.seriesql(statement, { signal }));
  return rows.map(([name]) => String(name));
}

/** Metrics are sorted: the exact name comes first among names that start with it. */
async function descriptors(
  client: SeriesDbClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly MetricDescriptor[]> {
  const found: MetricDescriptor[] = [];
  for (let at = 0; at < names.length; at += kInFlight) {
    const asked = names
      .slice(at, at + kInFlight)
      .map((prefix) => client.findMetrics({ prefix, limit: 1 }, { signal }));
    for (const [first] of await Promise.all(asked)) if (first !== undefined) found.push(first);
  }
  return found;
}
