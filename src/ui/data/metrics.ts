/** The metrics that a search finds. */

import { ask } from './server.js';
import { metricsWithWord } from '../statements.js';

import type { MetricDescriptor, SeriesDbClient } from '../../client/client.js';

/** A database with no more is searched in the page: no request for a key press. */
const kHeldMax = 2_000;
/** What a list shows. */
export const shownMax = 200;
/** Of descriptors that are asked for one by one. */
const kInFlight = 6;

/** What a page knows before anything is searched. */
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

export async function loadIndex(signal: AbortSignal): Promise<MetricIndex> {
  const limit = kHeldMax + 1;
  const metrics = await ask((client) => client.findMetrics({ limit }, { signal }));
  return { metrics: metrics.slice(0, kHeldMax), isWhole: metrics.length < limit };
}

/** Among these: names that begin with `word` come first, then those that have it inside. */
export function metricsAmong(metrics: readonly MetricDescriptor[], word: string): FoundMetrics {
  const wanted = word.toLowerCase();
  const placed = metrics
    .map((one) => ({ one, at: one.metric.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0);
  const atBegin = placed.filter(({ at }) => at === 0);
  const inside = placed.filter(({ at }) => at > 0);
  return cut([...atBegin, ...inside].map(({ one }) => one));
}

/** The same among all that the server has. */
export async function findMetrics(word: string, signal: AbortSignal): Promise<FoundMetrics> {
  const [atBegin, names] = await Promise.all([
    ask((client) => client.findMetrics({ prefix: word, limit: shownMax + 1 }, { signal })),
    namesWith(word, signal),
  ]);
  const known = new Set(atBegin.map((one) => one.metric));
  const others = names.filter((name) => !known.has(name)).slice(0, shownMax - atBegin.length + 1);
  return cut([...atBegin, ...(await ask((client) => descriptors(client, others, signal)))]);
}

function cut(metrics: readonly MetricDescriptor[]): FoundMetrics {
  return { metrics: metrics.slice(0, shownMax), isCut: metrics.length > shownMax };
}

async function namesWith(word: string, signal: AbortSignal): Promise<readonly string[]> {
  const statement = metricsWithWord(word, shownMax + 1);
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
