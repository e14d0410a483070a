/** The rows of a SELECT that reads no samples. */

import { emptyRow, type Row } from '../plan/evaluate.js';

import type { SelectPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from './run.js';

const kRowsPerBatch = 256;

/** The single row of a SELECT without FROM, unless WHERE drops it. */
export async function* constantRows(
  run: QueryRun,
  { filter }: SelectPlan,
): AsyncGenerator<readonly Row[]> {
  const isKept = filter === null || run.evaluator.isTrue(filter, emptyRow);
  if (isKept) yield await Promise.resolve([emptyRow]);
}

export async function* rowPerSeries(
  run: QueryRun,
  all: readonly SeriesInfo[],
): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < all.length; from += kRowsPerBatch) {
    await run.guard.breathe();
    yield all.slice(from, from + kRowsPerBatch).map((series) => ({ ...emptyRow, series }));
  }
}
