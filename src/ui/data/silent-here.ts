/**
 * Series that match a filter and have no samples in a window: all matches except the ranked ones.
 */

import { ask } from './server.js';
import { rankedMax, seriesOf } from '../chart-statements.js';
import { heldMax } from './health.js';

import type { RankedSeries } from '../chart/picture.js';
import type { SeriesDescriptor } from '../../client/client.js';
import type { Condition } from '../series-filter.js';

interface SilentHereQuestion {
  readonly metric: string;
  readonly conditions: readonly Condition[];
  readonly ranked: readonly RankedSeries[];
}

/** True if the ranking contains every series with samples. */
export const isRankedWhole = (ranked: readonly RankedSeries[]): boolean =>
  ranked.length < rankedMax;

/** Sorted by last sample, the newest first. */
export async function findSilentHere(
  { metric, conditions, ranked }: SilentHereQuestion,
  signal: AbortSignal,
): Promise<readonly SeriesDescriptor[]> {
  const known = new Set(ranked.map(({ key }) => key));
  const statement = seriesOf({ metric, conditions }, heldMax);
  const { rows } = await ask((client) => client.seriesql(statement, { signal }));
  const wanted = new Set(rows.map(([id]) => String(id)).filter((id) => !known.has(id)));
  const asked = { metric, limit: heldMax };
  const all = await ask((client) => client.findSeries(asked, { signal }));
  const silent = all.filter(({ series_id: id }) => wanted.has(String(id)));
  return silent.sort((one, two) => Number((two.last_ts ?? 0n) - (one.last_ts ?? 0n)));
}
