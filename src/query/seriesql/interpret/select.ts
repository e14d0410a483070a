/**
 * A SELECT in the plain interpreter: one row at a time, in the language's order of work. It is the
 * reference for any faster engine.
 */

import { asksForSamples } from '../plan/intervals.js';
import { keptGroups } from '../execute/having.js';
import { asStep, stepOf } from '../execute/operators.js';
import { ordered } from '../execute/order.js';
import { executionOf, project } from '../execute/project.js';
import { requireSeries } from '../execute/require-series.js';
import { namesAllLabels } from '../execute/selection-match.js';
import { constantRows, rowPerSeries } from '../execute/series-rows.js';
import { selectDuring } from '../execute/source.js';

import { groupsOf } from './group.js';
import { mergedRows } from './scan.js';
import { seriesWithSamples } from './series-with-samples.js';

import type { Row } from '../plan/evaluate.js';
import type { PlannedSelection, SelectPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Execution } from '../execute/execution.js';
import type { QueryRun } from '../execute/run.js';

/** Throws `series_not_found` and `ambiguous_selector`. */
export async function interpretSelect(run: QueryRun, plan: SelectPlan): Promise<Execution> {
  const { selection } = plan;
  const all = selection === null ? [] : await selected(run, selection);
  run.counters.selectedSeriesCount = all.length;
  const isIndexOnly = plan.shape.kind === 'series' && !asksForSamples(plan.intervals);
  if (!isIndexOnly) run.guard.requireSeries(all.length);
  if (selection !== null) {
    run.counters.isExact = namesAllLabels(selection, all);
    requireSeries(plan, all.length);
  }
  run.counters.plannedAt = performance.now();
  return executionOf(plan, all.length, (columns) =>
    project(run, columns, ordered(run, plan, inputRows(run, plan, all))),
  );
}

/** The selected series, ascending by id. */
function selected(run: QueryRun, selection: PlannedSelection): Promise<readonly SeriesInfo[]> {
  const work = (): Promise<readonly SeriesInfo[]> => selectDuring(run.guard, run.source, selection);
  const rowsOf = ({ length }: readonly SeriesInfo[]): number => length;
  return asStep(run.counters.operators, 'select series', { work, rowsOf });
}

async function* inputRows(
  run: QueryRun,
  plan: SelectPlan,
  all: readonly SeriesInfo[],
): AsyncGenerator<readonly Row[]> {
  const { shape } = plan;
  switch (shape.kind) {
    case 'constant':
      yield* constantRows(run, plan);
      return;
    case 'series':
      yield* stepOf(run.counters.operators, 'scan', seriesOnly(run, plan, all));
      return;
    case 'raw':
      yield* mergedRows(run, plan, { all, windows: shape.windows });
      return;
    case 'grouped':
      yield* keptGroups(run, plan, await groupsOf(run, plan, { shape, all }));
  }
}

/** One row per series. With a condition on time, only for series with a sample at those times. */
async function* seriesOnly(
  run: QueryRun,
  plan: SelectPlan,
  all: readonly SeriesInfo[],
): AsyncGenerator<readonly Row[]> {
  const { intervals } = plan;
  const kept = asksForSamples(intervals) ? await seriesWithSamples(run, intervals, all) : all;
  yield* rowPerSeries(run, kept);
}
