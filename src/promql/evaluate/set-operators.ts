/** and, or, unless: which rows stay, by what is there on the other side at the same step. */

import { concatLabels } from '../labels/label-table.js';
import { jointIds, type JointIds } from '../labels/row-ids.js';
import { eachRow, type EvaluationContext } from '../vectors/context.js';
import { presenceById } from '../vectors/presence.js';
import {
  allRows,
  mergeSame,
  presenceOf,
  stepsOf,
  vectorOf,
  withoutEmptyRows,
} from '../vectors/value.js';

import type { SetOp, VectorMatching } from '../syntax/ast.js';
import type { VectorValue } from '../vectors/value.js';

interface Sets {
  readonly op: SetOp;
  readonly left: VectorValue;
  readonly right: VectorValue;
  readonly matching: VectorMatching | null;
}

export async function combineSets(
  context: EvaluationContext,
  { op, left, right, matching }: Sets,
): Promise<VectorValue> {
  const isOn = matching?.isOn ?? false;
  const grouping = { isWithout: !isOn, labels: matching?.labels ?? [] };
  const ids = jointIds(left.labels, right.labels, grouping);
  if (op === 'or') return either(context, { left, right }, ids);
  const rightIds = { ids: ids.right, count: ids.count, steps: stepsOf(right) };
  const there = await presenceById(context, right, rightIds);
  const kept = await filtered(context, left, { ids: ids.left, there, isWanted: op === 'and' });
  context.cells.giveBack(right.values);
  return withoutEmptyRows(kept);
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

async function either(
  context: EvaluationContext,
  { left, right }: Pick<Sets, 'left' | 'right'>,
  ids: JointIds,
): Promise<VectorValue> {
  if (right.labels.rowCount === 0) return left;
  const leftIds = { ids: ids.left, count: ids.count, steps: stepsOf(left) };
  const there = await presenceById(context, left, leftIds);
  const wanted = { ids: ids.right, there, isWanted: false };
  const rest = withoutEmptyRows(await filtered(context, right, wanted));
  if (rest.labels.rowCount === 0) return left;
  return mergeSame(stacked(context, left, rest));
}

function stacked(
  { cells }: EvaluationContext,
  first: VectorValue,
  second: VectorValue,
): VectorValue {
  const values = cells.make(first.values.length + second.values.length);
  values.set(first.values);
  values.set(second.values, first.values.length);
  cells.giveBack(first.values);
  cells.giveBack(second.values);
  const hasDropped = first.dropsName !== null || second.dropsName !== null;
  return vectorOf({
    labels: concatLabels([first.labels, second.labels]),
    values,
    present: joined(presenceOf(first), presenceOf(second)),
    dropsName: hasDropped ? joined(dropsOf(first), dropsOf(second)) : null,
  });
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function dropsOf(vector: VectorValue): Uint8Array {
  return vector.dropsName ?? allRows(vector).fill(0);
}
