/** GROUP BY: turns rows into groups with their keys and aggregates. */

import { computationOf } from '../functions/computation.js';
import { accumulatorOf } from '../execute/accumulator-of.js';
import { filledGroups } from '../execute/fill.js';
import { inOrder, keyText, type Group, type GroupedShape } from '../execute/groups.js';
import { asStep } from '../execute/operators.js';
import { inTurns } from '../../limits/turns.js';

import { seriesRows } from './scan.js';

import type { Value } from '../../values/value.js';
import type { Accumulator } from '../functions/aggregate-function.js';
import type { Row } from '../plan/evaluate.js';
import type { SelectPlan } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from '../execute/run.js';

/** All groups after FILL, in the default order. */
export async function groupsOf(
  run: QueryRun,
  plan: SelectPlan,
  how: { readonly shape: GroupedShape; readonly all: readonly SeriesInfo[] },
): Promise<readonly Group[]> {
  const { operators } = run.counters;
  const rowsOf = ({ length }: readonly Group[]): number => length;
  const work = (): Promise<readonly Group[]> => openGroups(run, plan, how);
  const groups = await asStep(operators, 'group', { work, rowsOf });
  const { shape } = how;
  if (shape.fill === null) return inOrder(run, groups, shape);
  return filledGroups(run, plan, { shape, groups });
}

async function openGroups(
  run: QueryRun,
  plan: SelectPlan,
  how: { readonly shape: GroupedShape; readonly all: readonly SeriesInfo[] },
): Promise<readonly Group[]> {
  const { shape, all } = how;
  const open = new Map<string, OpenGroup>();
  if (shape.keys.length === 0) openGroup(open, run, { shape, keys: [], text: keyText([]) });
  const holding = shape.aggregates.filter((one) => computationOf(one).holdsValues === true).length;
  for (const series of all) {
    for await (const rows of seriesRows(run, plan, series)) {
      run.guard.countHeld(rows.length * holding);
      await inTurns(run.guard, rows, (row) => {
        addRow(open, run, { shape, row });
      });
    }
  }
  const groups: Group[] = [];
  await inTurns(run.guard, [...open.values()], ({ keys, accumulators }) => {
    const aggregates = accumulators.map((one, at) => resultOf(one, shape.aggregates[at]?.type));
    groups.push({ keys, aggregates });
  });
  return groups;
}

interface OpenGroup {
  readonly keys: readonly Value[];
  readonly accumulators: readonly Accumulator[];
}

function addRow(
  open: Map<string, OpenGroup>,
  run: QueryRun,
  { shape, row }: { readonly shape: GroupedShape; readonly row: Row },
): void {
  const keys = shape.keys.map((key) => {
    const value = run.evaluator.evaluate(key, row);
    // The zero that comes first represents both zeros.
    return value === 0 ? 0 : value;
  });
  const text = keyText(keys);
  const group = open.get(text) ?? openGroup(open, run, { shape, keys, text });
  shape.aggregates.forEach(({ argument }, at) => {
    const value = argument === null ? true : run.evaluator.evaluate(argument, row);
    if (value !== null) group.accumulators[at]?.add(value, row);
  });
}

interface NewGroup {
  readonly shape: GroupedShape;
  readonly keys: readonly Value[];
  /** The text of the keys. */
  readonly text: string;
}

function openGroup(
  open: Map<string, OpenGroup>,
  run: QueryRun,
  { shape, keys, text }: NewGroup,
): OpenGroup {
  run.guard.requireRows(open.size + 1);
  run.guard.countHeld(keys.length + shape.aggregates.length);
  for (const key of keys) run.guard.texts.replace(null, key);
  const accumulators = shape.aggregates.map((one) => accumulatorOf(one, run));
  const group = { keys, accumulators };
  open.set(text, group);
  return group;
}

function resultOf(accumulator: Accumulator, type: string | undefined): Value {
  const value = accumulator.result();
  return type === 'float' && typeof value === 'bigint' ? Number(value) : value;
}
