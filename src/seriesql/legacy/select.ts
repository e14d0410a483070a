/**
 * A SELECT by the plain interpreter: one row at a time, in the order in which the language says
 * work is done. It is the reference for any quicker engine.
 */

import { emptyRow, type Row } from '../evaluate.js';
import { stepOf } from '../operators.js';

import { expandStar, type ColumnItem, type SelectPlan } from '../plan/plan.js';
import { asksForSamples } from '../plan/intervals.js';

import { groupsOf, type Group } from './group.js';
import { ordered } from './order.js';
import { endOf, mergedRows, startOf, type Run } from './scan.js';

import type { Execution, ResultRow } from '../execution.js';
import type { Interval } from '../plan/plan.js';
import type { SeriesInfo } from '../source.js';

const kRowsPerBatch = 256;

/** `all` are the series of the selection, ascending by id. */
export function interpretSelect(run: Run, plan: SelectPlan, all: readonly SeriesInfo[]): Execution {
  return executionOf(plan, all.length, (columns) =>
    project(run, columns, ordered(run, plan, inputRows(run, plan, all))),
  );
}

/** The execution of a plan over so many series, whose rows `make` makes for its columns. */
export function executionOf(
  plan: SelectPlan,
  seriesCount: number,
  make: (columns: readonly ColumnItem[]) => Execution['rows'],
): Execution {
  const columns = expandStar(plan, seriesCount);
  return {
    columns: columns.map(({ name, type, nullable }) => ({ name, type, nullable })),
    rows: make(columns),
  };
}

/** What is left to do with the groups: HAVING, order and expressions over them. */
export function groupRows(
  run: Run,
  plan: SelectPlan,
  how: { readonly columns: readonly ColumnItem[]; readonly groups: readonly Group[] },
): Execution['rows'] {
  return project(run, how.columns, ordered(run, plan, keptGroups(run, plan, how.groups)));
}

function keptGroups(
  run: Run,
  plan: SelectPlan,
  groups: readonly Group[],
): AsyncGenerator<readonly Row[]> {
  const rows = havingRows(run, plan, groups);
  return plan.having === null ? rows : stepOf(run.counters.operators, 'having', rows);
}

async function* havingRows(
  run: Run,
  { having }: SelectPlan,
  groups: readonly Group[],
): AsyncGenerator<readonly Row[]> {
  let to = 0;
  for (let from = 0; from < groups.length; from = to) {
    await run.guard.breathe();
    to = Math.min(groups.length, from + run.guard.rowsPerLook);
    const rows = groups.slice(from, to).map((one) => ({ ...emptyRow, ...one }));
    yield having === null ? rows : rows.filter((row) => run.evaluator.isTrue(having, row));
  }
}

async function* inputRows(
  run: Run,
  plan: SelectPlan,
  all: readonly SeriesInfo[],
): AsyncGenerator<readonly Row[]> {
  const { shape } = plan;
  switch (shape.kind) {
    case 'constant': {
      const isKept = plan.filter === null || run.evaluator.isTrue(plan.filter, emptyRow);
      if (isKept) yield [emptyRow];
      return;
    }
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

/** One row a series; with a condition on time only series that have a sample there. */
async function* seriesOnly(
  run: Run,
  plan: SelectPlan,
  all: readonly SeriesInfo[],
): AsyncGenerator<readonly Row[]> {
  const kept = asksForSamples(plan.intervals)
    ? await seriesWithSamples(run, plan.intervals, all)
    : all;
  for (let from = 0; from < kept.length; from += kRowsPerBatch) {
    await run.guard.breathe();
    yield kept.slice(from, from + kRowsPerBatch).map((series) => ({ ...emptyRow, series }));
  }
}

export async function seriesWithSamples(
  run: Run,
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
  run: Run,
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

export function project(
  run: Run,
  columns: readonly ColumnItem[],
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly ResultRow[]> {
  return stepOf(run.counters.operators, 'project', projected(run, columns, input));
}

async function* projected(
  run: Run,
  columns: readonly ColumnItem[],
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly ResultRow[]> {
  for await (const rows of input) {
    if (rows.length === 0) continue;
    let to = 0;
    for (let from = 0; from < rows.length; from = to) {
      await run.guard.breathe();
      to = Math.min(rows.length, from + run.guard.rowsPerLook);
      yield rows
        .slice(from, to)
        .map((row) => columns.map(({ expr }) => run.evaluator.evaluate(expr, row)));
    }
  }
}
