/** The values of expressions at the steps of a frame. */

import { AppError } from '../../../common/errors/app-error.js';
import { inSpans, type Pauses } from '../../limits/turns.js';
import { concatLabels, LabelTable } from '../labels/label-table.js';
import { firstRows, rowIds } from '../labels/row-ids.js';
import { handOn, type CellAccount } from './cells.js';

import type { Milliseconds } from '../../../common/model/timestamp-unit.js';
import type { Guard } from '../../limits/guard.js';

/** The evaluation times: start, start + step, … */
export interface StepFrame {
  readonly start: Milliseconds;
  /** Greater than 0. */
  readonly step: Milliseconds;
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

export type PromqlValue = ScalarValue | StringValue | VectorValue | MatrixValue;

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
export async function pickRows(
  vector: VectorValue,
  rows: Uint32Array,
  pauses: Pauses,
): Promise<VectorValue> {
  const { labels, values, present, dropsName } = vector;
  const width = stepsOf(vector);
  const picked = new Float64Array(rows.length * width);
  handOn(values, picked);
  const among = { rows, width, pauses };
  await pickCells({ from: values, into: picked }, among);
  return vectorOf({
    labels: await labels.pick(rows, pauses),
    values: picked,
    present: await pickFlags(present, among),
    dropsName: await pickFlags(dropsName, { ...among, width: 1 }),
  });
}

interface Picked {
  readonly rows: Uint32Array;
  /** The cells of a row. */
  readonly width: number;
  readonly pauses: Pauses;
}

/** The flags of these rows. */
export async function pickFlags(
  flags: Uint8Array | null,
  picked: Picked,
): Promise<Uint8Array | null> {
  if (flags === null) return null;
  const into = new Uint8Array(picked.rows.length * picked.width);
  await pickCells({ from: flags, into }, picked);
  return into;
}

async function pickCells<Cell extends Float64Array | Uint8Array>(
  { from, into }: { readonly from: Cell; readonly into: Cell },
  { rows, width, pauses }: Picked,
): Promise<void> {
  await inSpans(pauses, { count: rows.length, width }, (first, last) => {
    for (let place = first; place < last; place += 1) {
      copyCells(from, (rows[place] ?? 0) * width, { into, at: place * width, width });
    }
  });
}

/** From this number of cells on, a view of them costs less than a loop. */
const kCellsByView = 32;

export function copyCells<Cell extends Float64Array | Uint8Array>(
  from: Cell,
  first: number,
  { into, at, width }: { readonly into: Cell; readonly at: number; readonly width: number },
): void {
  if (width >= kCellsByView) {
    into.set(from.subarray(first, first + width), at);
    return;
  }
  for (let cell = 0; cell < width; cell += 1) into[at + cell] = from[first + cell] ?? 0;
}

/** Combines values of one step each: the rows at these steps. Rows with equal labels become one. */
export async function besideOneAnother(
  { cells, guard }: { readonly cells: CellAccount; readonly guard: Guard },
  steps: readonly VectorValue[],
): Promise<VectorValue> {
  const all = steps.map(({ labels }) => labels);
  const labels = await concatLabels(all, guard);
  const grouped = await rowIds(labels, guard);
  const values = cells.make(grouped.count * steps.length);
  const present = new Uint8Array(values.length);
  let first = 0;
  for (const [place, step] of steps.entries()) {
    const rows = grouped.ids.subarray(first, first + step.labels.rowCount);
    await putStep(step, { values, present }, { rows, place, count: steps.length, pauses: guard });
    first += step.labels.rowCount;
    cells.giveBack(step.values);
  }
  const kept = await labels.pick(await firstRows(grouped, guard), guard);
  return vectorOf({ labels: kept, values, present, dropsName: null });
}

/** The same for values without labels, whose rows are the same at each step. */
export async function sameRowsBeside(
  { cells, guard }: { readonly cells: CellAccount; readonly guard: Guard },
  steps: readonly VectorValue[],
): Promise<VectorValue> {
  const labels = steps[0]?.labels ?? LabelTable.none(0);
  const values = cells.make(labels.rowCount * steps.length);
  const present = new Uint8Array(values.length);
  const count = steps.length;
  for (const [place, step] of steps.entries()) {
    await putStep(step, { values, present }, { rows: null, place, count, pauses: guard });
    cells.giveBack(step.values);
  }
  return vectorOf({ labels, values, present, dropsName: null });
}

/** Copies the value's only step to step `place` of `count`. `rows`: where; null: rows stay. */
async function putStep(
  step: VectorValue,
  { values, present }: { readonly values: Float64Array; readonly present: Uint8Array },
  at: {
    readonly rows: Uint32Array | null;
    readonly place: number;
    readonly count: number;
    readonly pauses: Pauses;
  },
): Promise<void> {
  const { rows, place, count, pauses } = at;
  await inSpans(pauses, { count: step.values.length }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      if (step.present !== null && step.present[row] !== 1) continue;
      const cell = (rows === null ? row : (rows[row] ?? 0)) * count + place;
      values[cell] = step.values[row] ?? NaN;
      present[cell] = 1;
    }
  });
}

/** Repeats the only step `count` times. */
export async function repeated(
  { cells, guard }: { readonly cells: CellAccount; readonly guard: Guard },
  vector: VectorValue,
  count: number,
): Promise<VectorValue> {
  const { rowCount } = vector.labels;
  const values = cells.make(rowCount * count);
  const present = vector.present === null ? null : new Uint8Array(rowCount * count);
  await inSpans(guard, { count: rowCount, width: count }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      values.fill(vector.values[row] ?? NaN, row * count, (row + 1) * count);
      present?.fill(vector.present?.[row] ?? 0, row * count, (row + 1) * count);
    }
  });
  cells.giveBack(vector.values);
  return { ...vector, values, present };
}

/** Removes the rows without a value at any step. */
export async function withoutEmptyRows(vector: VectorValue, pauses: Pauses): Promise<VectorValue> {
  const { labels, present } = vector;
  if (present === null || labels.rowCount === 0) return vector;
  const width = stepsOf(vector);
  const rows = new Uint32Array(labels.rowCount);
  let count = 0;
  await inSpans(pauses, { count: rows.length, width }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      if (hasAny(present, row * width, (row + 1) * width)) rows[count++] = row;
    }
  });
  return count === rows.length ? vector : pickRows(vector, rows.subarray(0, count), pauses);
}

/** True if any flag of the cells is 1. */
export function hasAny(present: Uint8Array, from: number, to: number): boolean {
  for (let cell = from; cell < to; cell += 1) if (present[cell] === 1) return true;
  return false;
}

/**
 * Merges rows with the same labels into one, at the place of the first. Throws if two of them have
 * a value at the same step.
 */
export async function mergeSame(vector: VectorValue, pauses: Pauses): Promise<VectorValue> {
  const { labels } = vector;
  const grouped = await rowIds(labels, pauses);
  if (grouped.count === labels.rowCount) return vector;
  const { ids } = grouped;
  const steps = stepsOf(vector);
  const present = presenceOf(vector);
  const firsts = await firstRows(grouped, pauses);
  await inSpans(pauses, { count: ids.length, width: steps }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const into = firsts[ids[row] ?? 0] ?? 0;
      if (into !== row) mergeRow(vector.values, present, { from: row, into, steps });
    }
  });
  return pickRows({ ...vector, present }, firsts, pauses);
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
