/** Finds the series with a sample at some times by reading each series. */

import { endOf, startOf } from '../plan/intervals.js';

import type { Interval } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from '../execute/run.js';

export async function seriesWithSamples(
  run: QueryRun,
  intervals: readonly Interval[],
  all: readonly SeriesInfo[],
): Promise<readonly SeriesInfo[]> {
  const kept: SeriesInfo[] = [];
  for (const series of all) {
    await run.guard.breathe();
    if (await hasSample(run, intervals, series)) kept.push(series);
  }
  return kept;
}

async function hasSample(
  run: QueryRun,
  intervals: readonly Interval[],
  series: SeriesInfo,
): Promise<boolean> {
  run.counters.seriesScanned += 1;
  for (const interval of intervals) {
    const reader = run.source.read(series, startOf(interval), endOf(interval));
    const batch = await reader.next();
    reader.close();
    if (batch !== null) return true;
  }
  return false;
}
