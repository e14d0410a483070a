/** The metrics that a search finds. */

import { ask } from './server.js';
import { metricsWithWord } from '../statements.js';

import type { MetricDescriptor, SeriesDbClient } from '../../client/client.js';

/** So many are asked for at a time. What is known whole is searched without a request. */
export const kPageRows = 2_000;
/** Of names that have a word inside, each asked for by itself. */
const kInsideMax = 200;
/** Of descriptors that are asked for one by one. */
const kInFlight = 6;

/** What the page knows, by name, before anything is searched. */
export interface MetricIndex {
  readonly metrics: readonly MetricDescriptor[];
  /** There are no others. */
  readonly isWhole: boolean;
}

export interface FoundMetrics {
  readonly metrics: readonly MetricDescriptor[];
  /** There are more than are listed. */
  readonly isCut: boolean;
}

export const noIndex: MetricIndex = { metrics: [], isWhole: false };

/** So many metrics at least, where there are so many; those that are known are not asked for. */
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
 * Among these: names that begin with `word` come first, then those that have it inside, then
 * metrics with such a label, which `labelled` names.
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

/** More labels are not searched. */
const kKeysMax = 20;

/** Labels of these metrics, those of the most metrics first. */
function keysOf(metrics: readonly MetricDescriptor[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label_keys: keys } of metrics) {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, two]) => two - one);
  return sorted.slice(0, kKeysMax).map(([key]) => key);
}

/** Names of metrics that have the word in the value of a label. */
export async function labelledMetrics(
  metrics: readonly MetricDescriptor[],
  word: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const keys = keysOf(metrics);
  if (keys.length === 0) return new Set();
  return new Set(await namesWith(word, { keys, limit: kPageRows }, signal));
}

/** The same among all that the server has; `known` tells the labels that are searched. */
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

/** The first metric whose name begins so is the one that is named so. */
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
