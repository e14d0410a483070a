/** Raw rows: the addon filters, merges and cuts them; expressions over a row are evaluated here. */

import { NotLowered } from '../functions/lowering.js';
import { emptyRow, type Row } from '../plan/evaluate.js';
import { readsIdentity, readsSamples } from '../plan/where.js';
import { stepOf } from '../execute/operators.js';
import { ordered } from '../execute/order.js';
import { executionOf, project } from '../execute/project.js';

import { ExpressionBuilder, type LoweredExpression } from './expression-builder.js';
import { ExpressionLowering } from './lower-expression.js';

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { ColumnBatch, ColumnStream, ReadStats, RowQuery } from '../../../storage/storage.js';
import type { SelectPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Execution, QueryCounters } from '../execute/execution.js';
import type { QueryRun } from '../execute/run.js';

/** The parts of a row query that follow from the order of the plan. */
export interface LoweredOrder {
  readonly cut: Pick<RowQuery, 'order' | 'isDescending' | 'offset' | 'limit'>;
  readonly expressions: LoweredExpression | null;
}

/** Null if the rows must be ordered here. */
export function lowerOrder(plan: SelectPlan, unit: TimestampUnit): LoweredOrder | null {
  const { orderBy, offset, limit } = plan;
  const cut = { offset: Number(offset), limit: limit === null ? Infinity : Number(limit) };
  if (isByTime(plan)) {
    const isDescending = orderBy[0]?.descending ?? false;
    return { cut: { order: [], isDescending, ...cut }, expressions: null };
  }
  const builder = new ExpressionBuilder();
  const lowering = new ExpressionLowering(builder, unit);
  try {
    const order = orderBy.map(({ expr, descending }) => {
      const isOfSeries = readsIdentity(expr) && !readsSamples(expr);
      const key = isOfSeries ? builder.rank(expr) : lowering.lower(expr);
      return { place: builder.output(key), isDescending: descending };
    });
    return { cut: { order, isDescending: false, ...cut }, expressions: builder.build() };
  } catch (error) {
    if (error instanceof NotLowered) return null;
    throw error;
  }
}

/** All rows, ordered by time. */
export const noOrder: LoweredOrder = {
  cut: { order: [], isDescending: false, offset: 0, limit: Infinity },
  expressions: null,
};

function isByTime({ orderBy }: SelectPlan): boolean {
  const [first] = orderBy;
  if (first === undefined) return true;
  return orderBy.length === 1 && first.expr.kind === 'column' && first.expr.column === 'time';
}

interface SampleRows {
  /** Ascending by id. */
  readonly all: readonly SeriesInfo[];
  readonly stream: ColumnStream;
  /** True if the stream orders and cuts the rows by the plan. */
  readonly isOrdered: boolean;
  readonly count: (counters: QueryCounters, stats: ReadStats) => void;
}

export function sampleRows(run: QueryRun, plan: SelectPlan, how: SampleRows): Execution {
  // Closes the stream even if the rows are never read.
  run.guard.whenCancelled(() => {
    how.stream.close();
  });
  const rows = stepOf(run.counters.operators, 'scan', rowsOf(run, how));
  return executionOf(plan, how.all.length, (columns) =>
    project(run, columns, how.isOrdered ? rows : ordered(run, plan, rows)),
  );
}

async function* rowsOf(run: QueryRun, how: SampleRows): AsyncGenerator<readonly Row[]> {
  for await (const { series, ts, values } of batchesOf(run, how)) {
    const rows: Row[] = [];
    for (let at = 0; at < ts.length; at++) {
      const info = how.all[series[at] ?? 0] ?? emptyRow.series;
      rows.push({ ...emptyRow, time: ts[at] ?? 0n, value: values[at] ?? 0, series: info });
    }
    yield rows;
  }
}

async function* batchesOf(
  run: QueryRun,
  { stream, count }: SampleRows,
): AsyncGenerator<ColumnBatch> {
  const close = (): void => {
    stream.close();
  };
  const next = (): Promise<ColumnBatch | null> => run.guard.during(stream.next(), close);
  let isWhole = false;
  try {
    for (let batch = await next(); batch !== null; batch = await next()) {
      // The consumer may stop here.
      isWhole = true;
      yield batch;
      isWhole = false;
    }
    isWhole = true;
  } finally {
    close();
    // While an abandoned step still runs, the stream cannot give its figures.
    if (isWhole) count(run.counters, stream.stats());
  }
}
