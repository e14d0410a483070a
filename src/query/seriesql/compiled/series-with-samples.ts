/** Finds the series with a sample at some times: the addon counts samples grouped by series. */

import { lowerIntervals } from './lower-selection.js';
import { count, idsOf, readTable } from './reading.js';

import type { BatchStream, GroupQuery, StoredTable } from '../../../storage/storage.js';
import type { Interval } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from '../execute/run.js';

/** No limit is needed: it holds one row per series and decodes few chunks of each. */
const kNoLimit = Number.MAX_SAFE_INTEGER;

interface GroupStorage {
  openGroups(query: GroupQuery): BatchStream<StoredTable>;
}

/** REQUIRES: the series ascend by id. */
export async function seriesWithSamples(
  run: QueryRun,
  storage: GroupStorage,
  {
    intervals,
    all,
  }: { readonly intervals: readonly Interval[]; readonly all: readonly SeriesInfo[] },
): Promise<readonly SeriesInfo[]> {
  if (intervals.length === 0 || all.length === 0) return [];
  const stream = storage.openGroups({
    answer: 'groups',
    series: await idsOf(run, all),
    ranges: lowerIntervals(intervals),
    limits: {
      ...{ series: kNoLimit, samples: kNoLimit, rows: kNoLimit },
      timeoutMs: run.guard.remainingMs,
    },
    filter: [],
    condition: null,
    expressions: null,
    keys: [{ kind: 'series_id', label: '' }],
    ...{ keyValues: null, keyColumns: [] },
    bucket: null,
    aggregates: [{ name: 'count', quantile: 0, argument: -1 }],
    order: [0],
  });
  const table = await readTable(stream, run.guard, (stats) => {
    count(run.counters, stats);
  });
  const [ids] = table?.columns ?? [];
  if (!(ids instanceof BigUint64Array)) return [];
  const found = new Set<bigint>();
  for (const [at, id] of ids.entries()) {
    if (at % kSeriesPerLook === 0) await run.guard.breathe();
    found.add(id);
  }
  return all.filter(({ id }) => found.has(id));
}

const kSeriesPerLook = 1024;
