/** Raw rows: the addon filters, merges and cuts them; expressions over each are evaluated here. */

import { AppError } from '../errors/app-error.js';
import { emptyRow, type Row } from '../seriesql/evaluate.js';
import { ordered } from '../seriesql/legacy/order.js';
import { executionOf, project } from '../seriesql/legacy/select.js';
import { stepOf } from '../seriesql/operators.js';

import type { Execution, QueryCounters } from '../seriesql/execution.js';
import type { Run } from '../seriesql/legacy/scan.js';
import type { SelectPlan } from '../seriesql/plan/plan.js';
import type { SeriesInfo } from '../seriesql/source.js';
import type { ColumnBatch, ColumnStream, ReadStats, RowQuery } from '../storage/storage.js';

/** Order and limit, where the addon's order is the plan's; otherwise all rows, by time. */
export function lowerOrder(plan: SelectPlan): Pick<RowQuery, 'isDescending' | 'offset' | 'limit'> {
  if (!isByTime(plan)) return { isDescending: false, offset: 0, limit: Infinity };
  return {
    isDescending: plan.orderBy[0]?.descending ?? false,
    offset: Number(plan.offset),
    limit: plan.limit === null ? Infinity : Number(plan.limit),
  };
}

/** Whether the addon's order is the plan's. */
export function isByTime({ orderBy }: SelectPlan): boolean {
  const [first] = orderBy;
  if (first === undefined) return true;
  return orderBy.length === 1 && first.expr.kind === 'column' && first.expr.column === 'time';
}

export interface SampleRows {
  /** Ascending by id. */
  readonly all: readonly SeriesInfo[];
  readonly stream: ColumnStream;
  readonly count: (counters: QueryCounters, stats: ReadStats) => void;
}

export function sampleRows(run: Run, plan: SelectPlan, how: SampleRows): Execution {
  const rows = stepOf(run.counters.operators, 'scan', rowsOf(run, how));
  return executionOf(plan, how.all.length, (columns) =>
    project(run, columns, isByTime(plan) ? rows : ordered(run, plan, rows)),
  );
}

async function* rowsOf(run: Run, how: SampleRows): AsyncGenerator<readonly Row[]> {
  for await (const { series, ts, values } of batchesOf(run, how)) {
    const rows: Row[] = [];
    for (let at = 0; at < ts.length; at++) {
      const info = how.all[series[at] ?? 0] ?? emptyRow.series;
      rows.push({ ...emptyRow, time: ts[at] ?? 0n, value: values[at] ?? 0, series: info });
    }
    yield rows;
  }
}

async function* batchesOf(run: Run, { stream, count }: SampleRows): AsyncGenerator<ColumnBatch> {
  const stop = run.guard.whenCancelled(() => {
    stream.close();
  });
  try {
    for (let batch = await stream.next(); batch !== null; batch = await stream.next()) yield batch;
  } catch (error) {
    if (run.guard.isCancelled) throw new AppError('execution_error', 'the query was cancelled');
    throw error;
  } finally {
    stop();
    stream.close();
    if (!run.guard.isCancelled) count(run.counters, stream.stats());
  }
}
