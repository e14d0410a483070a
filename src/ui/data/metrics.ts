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

/** Among these: names that begin with `word` come first, then those that have it inside. */
export function metricsAmong(metrics: readonly MetricDescriptor[], word: string): FoundMetrics {
  const wanted = word.toLowerCase();
  const placed = metrics
    .map((one) => ({ one, at: one.metric.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0);
  const atBegin = placed.filter(({ at }) => at === 0);
  const inside = placed.filter(({ at }) => at > 0);
  return { metrics: [...atBegin, ...inside].map(({ one }) => one), isCut: false };
}

/** The same among all that the server has. */
export async function findMetrics(word: string, signal: AbortSignal): Promise<FoundMetrics> {
  const [atBegin, names] = await Promise.all([
    ask((client) => client.findMetrics({ prefix: word, limit: kPageRows }, { signal })),
    namesWith(word, signal),
  ]);
  const known = new Set(atBegin.map((one) => one.metric));
  const others = names.filter((name) => !known.has(name)).slice(0, kInsideMax);
  const inside = await ask((client) => descriptors(client, others, signal));
  const isCut = atBegin.length === kPageRows || names.length > kInsideMax;
  return { metrics: [...atBegin, ...inside], isCut };
}

async function namesWith(word: string, signal: AbortSignal): Promise<readonly string[]> {
  const statement = metricsWithWord(word, kInsideMax + 1);
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
