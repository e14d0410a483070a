/** The steps after grouping, shared by both engines. */

import { emptyRow, type Row } from '../plan/evaluate.js';

import { stepOf } from './operators.js';
import { ordered } from './order.js';
import { project } from './project.js';
import { mappedInTurns } from '../../limits/turns.js';

import type { ColumnItem, SelectPlan } from '../plan/plan.js';
import type { Execution } from './execution.js';
import type { Group } from './groups.js';
import type { QueryRun } from './run.js';

/** Applies HAVING, ORDER BY and the expressions over groups. */
export function groupRows(
  run: QueryRun,
  plan: SelectPlan,
  how: { readonly columns: readonly ColumnItem[]; readonly groups: readonly Group[] },
): Execution['rows'] {
  return project(run, how.columns, ordered(run, plan, keptGroups(run, plan, how.groups)));
}

/** The groups for which HAVING is true, as rows. */
export function keptGroups(
  run: QueryRun,
  plan: SelectPlan,
  groups: readonly Group[],
): AsyncGenerator<readonly Row[]> {
  const rows = havingRows(run, plan, groups);
  return plan.having === null ? rows : stepOf(run.counters.operators, 'having', rows);
}

async function* havingRows(
  run: QueryRun,
  { having }: SelectPlan,
  groups: readonly Group[],
): AsyncGenerator<readonly Row[]> {
  const keptOf = (group: Group): Row | null => {
    const row = { ...emptyRow, ...group };
    return having === null || run.evaluator.isTrue(having, row) ? row : null;
  };
  for await (const rows of mappedInTurns(run.guard, groups, keptOf)) {
    yield rows.filter((row) => row !== null);
  }
}
