/** The values of expressions at the steps of a frame. */

import { AppError } from '../../../common/errors/app-error.js';
import { concatLabels, LabelTable } from '../labels/label-table.js';
import { firstRows, rowIds } from '../labels/row-ids.js';
import { handOn, type Cells } from './cells.js';

import type { Guard } from '../../limits/guard.js';

/** The evaluation times in milliseconds: start, start + step, … */
export interface Frame {
  readonly start: number;
  /** Greater than 0. */
  readonly step: number;
  readonly count: number;
}

export interface ScalarValue {
  readonly kind: 'scalar';
  /** One value per step. */
  readonly values: Float64Array;
}

interface StringValue {
  readonly kind: 'string';
  readonly text: string;
}

/** Its owner may change the cells, and may pass it on to one other owner only. */
export interface VectorValue {
  readonly kind: 'vector';
  readonly labels: LabelTable;
  /** Row by row, one cell per step. */
  readonly values: Float64Array;
  /** 1 if there is a value; null: everywhere. */
  readonly present: Uint8Array | null;
  /** 1 for rows that finally lose their metric name; null: for none. */
  readonly dropsName: Uint8Array | null;
}

/** Samples as stored, row by row. */
export interface MatrixValue {
  readonly kind: 'matrix';
  readonly labels: LabelTable;
  readonly values: Float64Array;
  /** In milliseconds. */
  readonly times: Float64Array;
  readonly ends: Uint32Array;
}

export type Value = ScalarValue | StringValue | VectorValue | MatrixValue;

/** The number of cells in a row. */
export function stepsOf({ labels, values }: VectorValue): number {
  return labels.rowCount === 0 ? 0 : values.length / labels.rowCount;
}

export function vectorOf(parts: Omit<VectorValue, 'kind'>): VectorValue {
  const { labels, values, present, dropsName } = parts;
  return { kind: 'vector', labels, values, present, dropsName };
}

/** The presence flags as an array, for callers that change them. */
export function presenceOf({ values, present }: VectorValue): Uint8Array {
  return present ?? new Uint8Array(values.length).fill(1);
}

export function allRows(vector: VectorValue): Uint8Array {
  return new Uint8Array(vector.labels.rowCount).fill(1);
}

/** Marks all names to be dropped at the end. */
export function droppingNames(vector: VectorValue): VectorValue {
  return { ...vector, dropsName: allRows(vector) };
}

/** The given rows in the given order. */
export function pickRows(vector: VectorValue, rows: Uint32Array): VectorValue {
  const { labels, values, present, dropsName } = vector;
  const count = stepsOf(vector);
  const picked = new Float64Array(rows.length * count);
  handOn(values, picked);
  const kept = present === null ? null : new Uint8Array(rows.length * count);
  rows.forEach((row, place) => {
    picked.set(values.subarray(row * count, (row + 1) * count), place * count);
    kept?.set(present?.subarray(row * count, (row + 1) * count) ?? [], place * count);
  });
  return vectorOf({
    labels: labels.pick(rows),
    values: picked,
    present: kept,
    dropsName: dropsName === null ? null : Uint8Array.from(rows, (row) => dropsName[row] ?? 0),
  });
}

/** Combines values of one step each: the rows at these steps. Rows with equal labels become one. */
export async function besideOneAnother(
  { cells, guard }: { readonly cells: Cells; readonly guard: Guard },
  steps: readonly VectorValue[],
): Promise<VectorValue> {
  const all = steps.map(({ labels }) => labels);
  const labels = await concatLabels(all, guard);
  const grouped = rowIds(labels);
  const values = cells.make(grouped.count * steps.length);
  const present = new Uint8Array(values.length);
  let first = 0;
  steps.forEach((step, place) => {
    const rowOf = (row: number): number => grouped.ids[first + row] ?? 0;
    putStep(step, { values, present }, { rowOf, place, count: steps.length });
    first += step.labels.rowCount;
    cells.giveBack(step.values);
  });
  const kept = labels.pick(firstRows(grouped));
  return vectorOf({ labels: kept, values, present, dropsName: null });
}

/** The same for values without labels, whose rows are the same at each step. */
export function sameRowsBeside(cells: Cells, steps: readonly VectorValue[]): VectorValue {
  const labels = steps[0]?.labels ?? LabelTable.none(0);
  const values = cells.make(labels.rowCount * steps.length);
  const present = new Uint8Array(values.length);
  steps.forEach((step, place) => {
    const rowOf = (row: number): number => row;
    putStep(step, { values, present }, { rowOf, place, count: steps.length });
    cells.giveBack(step.values);
  });
  return vectorOf({ labels, values, present, dropsName: null });
}

/** Copies the value's only step to step `place` of `count`. */
function putStep(
  step: VectorValue,
  { values, present }: { readonly values: Float64Array; readonly present: Uint8Array },
  at: {
    readonly rowOf: (row: number) => number;
    readonly place: number;
    readonly count: number;
  },
): void {
  step.values.forEach((value, row) => {
    if (step.present !== null && step.present[row] !== 1) return;
    const cell = at.rowOf(row) * at.count + at.place;
    values[cell] = value;
    present[cell] = 1;
  });
}

/** Repeats the only step `count` times. */
export function repeated(cells: Cells, vector: VectorValue, count: number): VectorValue {
  const { rowCount } = vector.labels;
  const values = cells.make(rowCount * count);
  const present = vector.present === null ? null : new Uint8Array(rowCount * count);
  for (let row = 0; row < rowCount; row += 1) {
    values.fill(vector.values[row] ?? NaN, row * count, (row + 1) * count);
    present?.fill(vector.present?.[row] ?? 0, row * count, (row + 1) * count);
  }
  cells.giveBack(vector.values);
  return { ...vector, values, present };
}

/** Removes the rows without a value at any step. */
export function withoutEmptyRows(vector: VectorValue): VectorValue {
  const { labels, present } = vector;
  if (present === null || labels.rowCount === 0) return vector;
  const count = stepsOf(vector);
  const rows: number[] = [];
  for (let row = 0; row < labels.rowCount; row += 1) {
    if (hasAny(present, row, count)) rows.push(row);
  }
  return rows.length === labels.rowCount ? vector : pickRows(vector, Uint32Array.from(rows));
}

function hasAny(present: Uint8Array, row: number, count: number): boolean {
  return present.subarray(row * count, (row + 1) * count).includes(1);
}

/**
 * Merges rows with the same labels into one, at the place of the first. Throws if two of them have
 * a value at the same step.
 */
export function mergeSame(vector: VectorValue): VectorValue {
  const { labels } = vector;
  const { ids, count: idCount } = rowIds(labels);
  if (idCount === labels.rowCount) return vector;
  const steps = stepsOf(vector);
  const present = presenceOf(vector);
  const firsts = new Map<number, number>();
  ids.forEach((id, row) => {
    const first = firsts.get(id);
    if (first === undefined) firsts.set(id, row);
    else mergeRow(vector.values, present, { from: row, into: first, steps });
  });
  return pickRows({ ...vector, present }, Uint32Array.from(firsts.values()));
}

function mergeRow(
  values: Float64Array,
  present: Uint8Array,
  { from, into, steps }: { readonly from: number; readonly into: number; readonly steps: number },
): void {
  for (let step = 0; step < steps; step += 1) {
    const [source, target] = [from * steps + step, into * steps + step];
    if (present[source] !== 1) continue;
    if (present[target] === 1) throw sameLabels();
    present[target] = 1;
    values[target] = values[source] ?? NaN;
  }
}

export function sameLabels(): AppError {
  return new AppError('execution_error', 'vector cannot contain metrics with the same labelset');
}
