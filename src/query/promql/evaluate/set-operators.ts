/** and, or, unless: keep rows by the presence of rows on the other side at the same step. */

import { inSpans, type Pauses } from '../../limits/turns.js';
import { concatLabels, type LabelTable } from '../labels/label-table.js';
import { groupLabels, jointIds, rowIds, type RowGrouping, type RowIds } from '../labels/row-ids.js';
import { eachRow, Pace, type EvaluationContext } from '../vectors/context.js';
import { presenceById } from '../vectors/presence.js';
import {
  copyCells,
  hasAny,
  mergeSame,
  pickFlags,
  presenceOf,
  stepsOf,
  vectorOf,
  withoutEmptyRows,
} from '../vectors/value.js';

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
  const tables = { left: left.labels, right: right.labels };
  const ids = await jointIds(tables, groupingOf(matching), context.guard);
  const rightIds = { ids: ids.right, count: ids.count, steps: stepsOf(right) };
  const there = await presenceById(context, right, rightIds);
  const kept = await filtered(context, left, { ids: ids.left, there, isWanted: op === 'and' });
  context.cells.giveBack(right.values);
  return withoutEmptyRows(kept, context.guard);
}

function groupingOf(matching: VectorMatching | null): RowGrouping {
  return { isWithout: matching?.isOn !== true, labels: matching?.labels ?? [] };
}

interface Other {
  /** The signature of each row. */
  readonly ids: Uint32Array;
  /** 1 if the other side has a row, by signature and step. Empty: it has none. */
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
 * Evaluates `a or b or c` at once. In pairs, the first operands would be copied and matched again
 * for each later one. Rows covered by an earlier operand are neither copied nor counted.
 */
export async function unite(
  context: EvaluationContext,
  [first, ...others]: readonly [VectorValue, ...VectorValue[]],
  matching: VectorMatching | null,
): Promise<VectorValue> {
  const [second, ...more] = others.filter(({ labels }) => labels.rowCount > 0);
  if (second === undefined) return first;
  const parts = [first, second, ...more];
  const tables = parts.map((part) => part.labels);
  const labels = await concatLabels(tables, context.guard);
  const ids = await rowIds(groupLabels(labels, groupingOf(matching)), context.guard);
  const isDisjoint = ids.count === labels.rowCount;
  const isWhole = isDisjoint && parts.every(({ present }) => present === null);
  const present = isWhole ? null : joined(parts.map(presenceOf));
  const all = { labels, present, steps: stepsOf(second) };
  if (!isDisjoint) await uncover(context, all, { ...ids, parts });
  const rows = present === null ? null : await rowsLeft(all, first.labels.rowCount, context.guard);
  if (rows?.length === first.labels.rowCount) {
    for (const { values } of [second, ...more]) context.cells.giveBack(values);
    return first;
  }
  return mergeSame(await stacked(context, parts, { ...all, rows }), context.guard);
}

/** The rows of all parts, one part after the other. */
interface AllRows {
  readonly labels: LabelTable;
  readonly present: Uint8Array | null;
  readonly steps: number;
}

interface SetParts extends RowIds {
  readonly parts: readonly VectorValue[];
}

/** Removes from each part the values that an earlier part has. */
async function uncover(
  context: EvaluationContext,
  { present, steps }: AllRows,
  { ids, count, parts }: SetParts,
): Promise<void> {
  const there = new Uint8Array(count * steps);
  const cellsOf = (row: number): Uint8Array =>
    present?.subarray(row * steps, (row + 1) * steps) ?? new Uint8Array();
  const placeOf = (row: number): number => (ids[row] ?? 0) * steps;
  let begin = 0;
  for (const { labels } of parts) {
    const from = begin;
    const all = { rowCount: labels.rowCount, steps };
    await eachRow(context, all, (row) => {
      const [place, cells] = [placeOf(from + row), cellsOf(from + row)];
      for (let step = 0; step < steps; step += 1) if (there[place + step] === 1) cells[step] = 0;
    });
    // Rows of the same part do not cover one another.
    await eachRow(context, all, (row) => {
      const [place, cells] = [placeOf(from + row), cellsOf(from + row)];
      for (let step = 0; step < steps; step += 1) if (cells[step] === 1) there[place + step] = 1;
    });
    begin += labels.rowCount;
  }
}

/** The rows of the first part, and all others with a value; null if these are all rows. */
async function rowsLeft(
  { labels, present, steps }: AllRows,
  firstCount: number,
  pauses: Pauses,
): Promise<Uint32Array | null> {
  if (present === null) return null;
  const rows = new Uint32Array(labels.rowCount);
  let count = 0;
  await inSpans(pauses, { count: rows.length, width: steps }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      if (row < firstCount || hasAny(present, row * steps, (row + 1) * steps)) rows[count++] = row;
    }
  });
  return count === rows.length ? null : rows.subarray(0, count);
}

interface Stack extends AllRows {
  /** The remaining rows; null if all remain. */
  readonly rows: Uint32Array | null;
}

async function stacked(
  { cells, guard }: EvaluationContext,
  parts: readonly VectorValue[],
  { labels, present, steps, rows }: Stack,
): Promise<VectorValue> {
  const values = cells.make((rows?.length ?? labels.rowCount) * steps);
  let [begin, into] = [0, 0];
  let next = 0;
  for (const part of parts) {
    const end = begin + part.labels.rowCount;
    if (rows === null) {
      const first = begin * steps;
      await inSpans(guard, { count: part.values.length }, (from, to) => {
        values.set(part.values.subarray(from, to), first + from);
      });
    } else {
      const pace = new Pace();
      for (; next < rows.length && (rows[next] ?? end) < end; next += 1) {
        const from = ((rows[next] ?? 0) - begin) * steps;
        copyCells(part.values, from, { into: values, at: into, width: steps });
        into += steps;
        if (pace.isDue(steps + 1)) await guard.breathe();
      }
    }
    begin = end;
    cells.giveBack(part.values);
  }
  const keepsNames = parts.every(({ dropsName }) => dropsName === null);
  const dropsName = keepsNames ? null : joined(parts.map(dropsOf));
  return vectorOf({
    ...{ values, labels, present, dropsName },
    ...(rows !== null && {
      labels: await labels.pick(rows, guard),
      present: await pickFlags(present, { rows, width: steps, pauses: guard }),
      dropsName: await pickFlags(dropsName, { rows, width: 1, pauses: guard }),
    }),
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
