/** and, or, unless: which rows stay, by what is there on the other side at the same step. */

import { concatLabels } from '../labels/label-table.js';
import { jointIds, type JointIds } from '../labels/row-ids.js';
import { allRows, mergeSame, presenceOf, vectorOf, withoutEmptyRows } from '../vectors/value.js';

import type { SetOp, VectorMatching } from '../syntax/ast.js';
import type { EvaluationContext } from '../vectors/context.js';
import type { VectorValue } from '../vectors/value.js';

interface Sets {
  readonly op: SetOp;
  readonly left: VectorValue;
  readonly right: VectorValue;
  readonly matching: VectorMatching | null;
}

export function combineSets(
  { cells }: EvaluationContext,
  { op, left, right, matching }: Sets,
): VectorValue {
  const isOn = matching?.isOn ?? false;
  const grouping = { isWithout: !isOn, labels: matching?.labels ?? [] };
  const ids = jointIds(left.labels, right.labels, grouping);
  if (op === 'or') return either(left, right, ids);
  const rightCells = presenceBySignature(right, ids.right, ids.count);
  const kept = filtered(left, ids.left, { there: rightCells, isWanted: op === 'and' });
  cells.giveBack(right.values.length);
  return withoutEmptyRows(kept);
}

/** 1 for each signature and step at which any row has a value. */
function presenceBySignature(
  { labels, values, present }: VectorValue,
  ids: Uint32Array,
  count: number,
): Uint8Array {
  const steps = labels.rowCount === 0 ? 0 : values.length / labels.rowCount;
  const there = new Uint8Array(count * steps);
  ids.forEach((id, row) => {
    for (let step = 0; step < steps; step += 1) {
      if (present === null || present[row * steps + step] === 1) there[id * steps + step] = 1;
    }
  });
  return there;
}

interface Other {
  /** What is there on the other side, by signature and step; empty: nothing. */
  readonly there: Uint8Array;
  readonly isWanted: boolean;
}

function filtered(vector: VectorValue, ids: Uint32Array, { there, isWanted }: Other): VectorValue {
  const { labels, values } = vector;
  const steps = labels.rowCount === 0 ? 0 : values.length / labels.rowCount;
  const present = presenceOf(vector);
  ids.forEach((id, row) => {
    for (let step = 0; step < steps; step += 1) {
      if ((there[id * steps + step] === 1) !== isWanted) present[row * steps + step] = 0;
    }
  });
  return { ...vector, present };
}

function either(left: VectorValue, right: VectorValue, ids: JointIds): VectorValue {
  if (right.labels.rowCount === 0) return left;
  const there = presenceBySignature(left, ids.left, ids.count);
  const rest = withoutEmptyRows(filtered(right, ids.right, { there, isWanted: false }));
  if (rest.labels.rowCount === 0) return left;
  return mergeSame(stacked(left, rest));
}

function stacked(first: VectorValue, second: VectorValue): VectorValue {
  const values = new Float64Array(first.values.length + second.values.length);
  values.set(first.values);
  values.set(second.values, first.values.length);
  const hasDropped = first.dropsName !== null || second.dropsName !== null;
  return vectorOf({
    labels: concatLabels(first.labels, second.labels),
    values,
    present: Uint8Array.from([...presenceOf(first), ...presenceOf(second)]),
    dropsName: hasDropped ? Uint8Array.from([...dropsOf(first), ...dropsOf(second)]) : null,
  });
}

function dropsOf(vector: VectorValue): Uint8Array {
  return vector.dropsName ?? allRows(vector).fill(0);
}
