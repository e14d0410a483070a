/** The columns of an answer, and the projection of its rows. */

import { expandStar, type ColumnItem, type SelectPlan } from '../plan/plan.js';

import { stepOf } from './operators.js';
import { mappedInTurns } from '../../limits/turns.js';

import type { Row } from '../plan/evaluate.js';
import type { Execution, ResultRow } from './execution.js';
import type { QueryRun } from './run.js';

/** The execution of a plan over `seriesCount` series. `make` makes the rows of its columns. */
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

export function project(
  run: QueryRun,
  columns: readonly ColumnItem[],
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly ResultRow[]> {
  return stepOf(run.counters.operators, 'project', projected(run, columns, input));
}

async function* projected(
  run: QueryRun,
  columns: readonly ColumnItem[],
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly ResultRow[]> {
  for await (const rows of input) {
    if (rows.length === 0) continue;
    const valuesOf = (row: Row): ResultRow =>
      columns.map(({ expr }) => run.evaluator.evaluate(expr, row));
    yield* mappedInTurns(run.guard, rows, valuesOf);
  }
}
