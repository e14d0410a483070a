/** ORDER BY, OFFSET and LIMIT. */

import { makesText } from '../plan/check/expr.js';

import { compareKeys } from './groups.js';
import { stepOf } from './operators.js';
import { inTurns, sortInTurns } from '../../limits/turns.js';

import type { Value } from '../../values/value.js';
import type { Row } from '../plan/evaluate.js';
import type { SelectPlan } from '../plan/plan.js';
import type { QueryRun } from './run.js';

const kRowsPerBatch = 1024;

interface RankedRow {
  readonly row: Row;
  readonly ranks: readonly Value[];
}

/** Stable; nulls are last in both directions. */
function compareRanked(plan: SelectPlan, left: RankedRow, right: RankedRow): number {
  for (const [at, { descending }] of plan.orderBy.entries()) {
    const [a, b] = [left.ranks[at] ?? null, right.ranks[at] ?? null];
    const order = compareKeys(a, b);
    if (order !== 0) return descending && a !== null && b !== null ? -order : order;
  }
  return 0;
}

/** The rows in their final order, cut by OFFSET and LIMIT. */
export function ordered(
  run: QueryRun,
  plan: SelectPlan,
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const { operators } = run.counters;
  const sorted =
    plan.orderBy.length === 0 ? input : stepOf(operators, 'order', sort(run, plan, input));
  const isCut = plan.limit !== null || plan.offset > 0n;
  return isCut ? stepOf(operators, 'limit', cut(plan, sorted)) : sorted;
}

async function* sort(
  run: QueryRun,
  plan: SelectPlan,
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const wanted = plan.limit === null ? Infinity : Number(plan.limit + plan.offset);
  const { texts } = run.guard;
  const made = plan.orderBy.flatMap(({ expr }, at) => (makesText(expr) ? [at] : []));
  const madeOf = ({ ranks }: RankedRow): readonly Value[] => made.map((at) => ranks[at] ?? null);
  let held: RankedRow[] = [];
  const trim = async (): Promise<void> => {
    const sorted = await sortInTurns(run.guard, held, (left, right) =>
      compareRanked(plan, left, right),
    );
    held = sorted.slice(0, wanted);
    if (made.length === 0) return;
    for (const one of sorted.slice(wanted)) {
      for (const text of madeOf(one)) texts.replace(text, null);
    }
  };
  for await (const rows of input) {
    await inTurns(run.guard, rows, (row) => {
      const ranks = plan.orderBy.map(({ expr }) => run.evaluator.evaluate(expr, row));
      for (const text of madeOf({ row, ranks })) texts.replace(null, text);
      held.push({ row, ranks });
    });
    if (held.length > 2 * wanted + 1024) await trim();
    run.guard.requireRows(Math.min(held.length, wanted));
  }
  await trim();
  for (let from = 0; from < held.length; from += kRowsPerBatch) {
    yield held.slice(from, from + kRowsPerBatch).map(({ row }) => row);
  }
}

async function* cut(
  plan: SelectPlan,
  input: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let skip = Number(plan.offset);
  let left = plan.limit === null ? Infinity : Number(plan.limit);
  try {
    if (left === 0) return;
    for await (const rows of input) {
      const kept = rows.slice(skip, skip + left);
      skip = Math.max(0, skip - rows.length);
      left -= kept.length;
      yield kept;
      if (left === 0) return;
    }
  } finally {
    await input.return(undefined);
  }
}
