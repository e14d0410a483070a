/** Raw rows: the addon filters, merges and cuts them; expressions over each are evaluated here. */

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
  // Also when nobody begins to read the rows.
  run.guard.whenCancelled(() => {
    how.stream.close();
  });
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
  const close = (): void => {
    stream.close();
  };
  const next = (): Promise<ColumnBatch | null> => run.guard.during(stream.next(), close);
  let isWhole = false;
  try {
    for (let batch = await next(); batch !== null; batch = await next()) {
      // Its reader may stop here.
      isWhole = true;
      yield batch;
      isWhole = false;
    }
    isWhole = true;
  } finally {
    close();
    // While a step runs that was given up, nothing can be asked.
    if (isWhole) count(run.counters, stream.stats());
  }
}
