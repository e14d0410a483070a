/** and, or, unless: which rows stay, by what is there on the other side at the same step. */

import { concatLabels } from '../labels/label-table.js';
import { groupLabels, jointIds, rowIds, type Grouping, type RowIds } from '../labels/row-ids.js';
import { eachRow, type EvaluationContext } from '../vectors/context.js';
import { presenceById } from '../vectors/presence.js';
import { mergeSame, presenceOf, stepsOf, vectorOf, withoutEmptyRows } from '../vectors/value.js';

import type { SetOp, VectorMatching } from '../syntax/ast.js';
import type { VectorValue } from '../vectors/value.js';

interface Sets {
  readonly op: Exclude<SetOp, 'or'>;
  readonly left: VectorValue;
  readonly right: VectorValue;
  readonly matching: VectorMatching | null;
}

export async function combineSets(
  context: EvaluationContext,
  { op, left, right, matching }: Sets,
): Promise<VectorValue> {
  const ids = jointIds(left.labels, right.labels, groupingOf(matching));
  const rightIds = { ids: ids.right, count: ids.count, steps: stepsOf(right) };
  const there = await presenceById(context, right, rightIds);
  const kept = await filtered(context, left, { ids: ids.left, there, isWanted: op === 'and' });
  context.cells.giveBack(right.values);
  return withoutEmptyRows(kept);
}

function groupingOf(matching: VectorMatching | null): Grouping {
  return { isWithout: matching?.isOn !== true, labels: matching?.labels ?? [] };
}

interface Other {
  /** By row. */
  readonly ids: Uint32Array;
  /** What is there on the other side, by signature and step; empty: nothing. */
  readonly there: Uint8Array;
  readonly isWanted: boolean;
}

async function filtered(
  context: EvaluationContext,
  vector: VectorValue,
  { ids, there, isWanted }: Other,
): Promise<VectorValue> {
  const steps = stepsOf(vector);
  const present = presenceOf(vector);
  await eachRow(context, { rowCount: vector.labels.rowCount, steps }, (row) => {
    const from = (ids[row] ?? 0) * steps;
    for (let step = 0; step < steps; step += 1) {
      if ((there[from + step] === 1) !== isWanted) present[row * steps + step] = 0;
    }
  });
  return { ...vector, present };
}

/**
 * `a or b or c`, at once: made of two at a time, what came first would be copied and matched again
 * for each that follows.
 */
export async function unite(
  context: EvaluationContext,
  [first, ...others]: readonly [VectorValue, ...VectorValue[]],
  matching: VectorMatching | null,
): Promise<VectorValue> {
  const rest = others.filter(({ labels }) => labels.rowCount > 0);
  if (rest.length === 0) return first;
  const rowCounts = [first, ...rest].map(({ labels }) => labels.rowCount);
  const all = stacked(context, [first, ...rest]);
  const ids = rowIds(groupLabels(all.labels, groupingOf(matching)));
  const isDisjoint = ids.count === all.labels.rowCount;
  const united = isDisjoint ? all : await uncovered(context, all, { ...ids, rowCounts });
  return mergeSame(withoutEmptyRows(united, first.labels.rowCount));
}

interface Parts extends RowIds {
  /** Of each part. */
  readonly rowCounts: readonly number[];
}

/** Each part without what is there in one before it. */
async function uncovered(
  context: EvaluationContext,
  all: VectorValue,
  { ids, count, rowCounts }: Parts,
): Promise<VectorValue> {
  const steps = stepsOf(all);
  const present = presenceOf(all);
  const there = new Uint8Array(count * steps);
  const cellsOf = (row: number): Uint8Array => present.subarray(row * steps, (row + 1) * steps);
  const placeOf = (row: number): number => (ids[row] ?? 0) * steps;
  let begin = 0;
  for (const rowCount of rowCounts) {
    const from = begin;
    await eachRow(context, { rowCount, steps }, (row) => {
      const place = placeOf(from + row);
      const cells = cellsOf(from + row);
      for (let step = 0; step < steps; step += 1) if (there[place + step] === 1) cells[step] = 0;
    });
    // Rows of one part leave one another alone.
    await eachRow(context, { rowCount, steps }, (row) => {
      const place = placeOf(from + row);
      const cells = cellsOf(from + row);
      for (let step = 0; step < steps; step += 1) if (cells[step] === 1) there[place + step] = 1;
    });
    begin += rowCount;
  }
  return { ...all, present };
}

function stacked({ cells }: EvaluationContext, parts: readonly VectorValue[]): VectorValue {
  const values = cells.make(parts.reduce((sum, part) => sum + part.values.length, 0));
  let begin = 0;
  for (const part of parts) {
    values.set(part.values, begin);
    begin += part.values.length;
    cells.giveBack(part.values);
  }
  const isWhole = parts.every(({ present }) => present === null);
  const keepsNames = parts.every(({ dropsName }) => dropsName === null);
  return vectorOf({
    labels: concatLabels(parts.map(({ labels }) => labels)),
    values,
    present: isWhole ? null : joined(parts.map(presenceOf)),
    dropsName: keepsNames ? null : joined(parts.map(dropsOf)),
  });
}

function joined(flags: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(flags.reduce((sum, { length }) => sum + length, 0));
  let begin = 0;
  for (const one of flags) {
    all.set(one, begin);
    begin += one.length;
  }
  return all;
}

function dropsOf({ labels, dropsName }: VectorValue): Uint8Array {
  return dropsName ?? new Uint8Array(labels.rowCount);
}
