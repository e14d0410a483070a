/**
 * Per-series values as columns for the addon. Computed in turns, since there may be many series.
 */

import { noteTextWork } from '../../limits/text-work.js';
import { compareValues } from '../../values/value.js';
import { makesText } from '../plan/check/expr.js';
import { emptyRow } from '../plan/evaluate.js';
import { TextPacker } from '../../values/text-packer.js';
import { inTurns, sortInTurns } from '../../limits/turns.js';

import type { KeyColumn, PackedTexts, SeriesColumn } from '../../../storage/storage.js';
import type { Value } from '../../values/value.js';
import type { RegisterType } from '../functions/lowering.js';
import type { Evaluator } from '../plan/evaluate.js';
import type { Expr } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Guard } from '../../limits/guard.js';

/** The evaluator, and the guard that bounds its work. */
export interface ColumnAsker {
  readonly evaluator: Evaluator;
  readonly guard: Guard;
}

/** A group key that reads no sample. */
export interface KeySource {
  readonly expr: Expr;
  /** Null for text. */
  readonly type: RegisterType | null;
}

/** Evaluates the expression, which reads no sample, for each series. */
export async function valuesOf(
  expr: Expr,
  all: readonly SeriesInfo[],
  { evaluator, guard }: ColumnAsker,
): Promise<readonly Value[]> {
  const values: Value[] = [];
  // An expression may make a text as long as any other text, so the guard accounts for it.
  const isMade = makesText(expr);
  await inTurns(guard, all, (series) => {
    const value = evaluator.evaluate(expr, { ...emptyRow, series });
    if (isMade) guard.texts.replace(null, value);
    values.push(value);
  });
  return values;
}

/** If `distinct` is given, the column holds the ranks of the values in it. */
export async function columnOf(
  type: RegisterType,
  values: readonly Value[],
  how: { readonly distinct: readonly Value[] | null; readonly guard: Guard },
): Promise<SeriesColumn> {
  const { distinct, guard } = how;
  const ranks = distinct === null ? null : await ranksOf(distinct, guard);
  const column = emptyColumn(type, values.length);
  await inTurns(guard, values, (value, place) => {
    column.set(place, ranks === null ? value : (ranks.get(value) ?? null));
  });
  return { values: column.values, nulls: column.nulls };
}

async function ranksOf(
  distinct: readonly Value[],
  guard: Guard,
): Promise<ReadonlyMap<Value, bigint>> {
  const ranks = new Map<Value, bigint>();
  await inTurns(guard, distinct, (one, at) => ranks.set(one, BigInt(at)));
  return ranks;
}

/** The columns of group keys for these series. `all` must be in the order of the query's ids. */
export async function bindKeyColumns(
  sources: readonly KeySource[],
  all: readonly SeriesInfo[],
  asker: ColumnAsker,
): Promise<readonly KeyColumn[]> {
  const columns: KeyColumn[] = [];
  const { guard } = asker;
  for (const { expr, type } of sources) {
    const values = await valuesOf(expr, all, asker);
    const distinct = type === null ? await inOrder([values], guard) : null;
    const column = await columnOf(type ?? 'integer', values, { distinct, guard });
    columns.push({ ...column, texts: distinct === null ? null : await textsOf(distinct, guard) });
  }
  return columns;
}

async function textsOf(values: readonly Value[], guard: Guard): Promise<PackedTexts> {
  const packer = new TextPacker();
  await inTurns(guard, values, (value) => {
    packer.add(String(value));
  });
  return packer.texts();
}

/** Each value of these lists once, ascending, without nulls. */
export async function inOrder(
  lists: Iterable<readonly Value[]>,
  guard: Guard,
): Promise<readonly Value[]> {
  const distinct = new Set<Value>();
  for (const values of lists) {
    await inTurns(guard, values, (value) => {
      if (value === null) return;
      // Hashing the text takes time in proportion to its length.
      if (typeof value === 'string') noteTextWork(value.length);
      distinct.add(value);
    });
  }
  return sortInTurns(guard, [...distinct], compareValues);
}

function emptyColumn(
  type: RegisterType,
  size: number,
): SeriesColumn & { readonly set: (place: number, value: Value) => void } {
  const none = new Uint8Array();
  switch (type) {
    case 'integer': {
      const values = new BigInt64Array(size);
      const nulls = new Uint8Array(size);
      const set = (place: number, value: Value): void => {
        if (typeof value === 'bigint') values[place] = value;
        else nulls[place] = 1;
      };
      return { values, nulls, set };
    }
    case 'float': {
      const values = new Float64Array(size).fill(Number.NaN);
      const set = (place: number, value: Value): void => {
        if (value !== null) values[place] = Number(value);
      };
      return { values, nulls: none, set };
    }
    case 'boolean': {
      const values = new Uint8Array(size).fill(1);
      const set = (place: number, value: Value): void => {
        if (value !== null) values[place] = value === true ? 2 : 0;
      };
      return { values, nulls: none, set };
    }
  }
}
