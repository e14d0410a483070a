/** The order of rows, where a query has one step. */

import { pickRows, type VectorValue } from '../vectors/value.js';
import { compareText } from '../../seriesql/language/value.js';

import { rowsInOrder } from '../labels/row-order.js';
import { textAt, vectorAt } from './arguments.js';

import type { LabelTable } from '../labels/label-table.js';
import type { AskedCall } from '../vectors/context.js';
import type { Implementations } from './implementation.js';

async function sorted(asked: AskedCall, direction: 1 | -1): Promise<VectorValue> {
  const vector = await vectorAt(asked, 0);
  if (asked.frame.count !== 1) return vector;
  const valueOf = (row: number): number => vector.values[row] ?? NaN;
  return inOrder(vector, (a, b) => compareValues(valueOf(a), valueOf(b), direction));
}

/** NaN is last either way. */
function compareValues(a: number, b: number, direction: 1 | -1): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a === b ? 0 : direction * (a < b ? -1 : 1);
}

function inOrder(vector: VectorValue, compare: (a: number, b: number) => number): VectorValue {
  const rows = Array.from({ length: vector.labels.rowCount }, (_, row) => row);
  return pickRows(vector, Uint32Array.from(rows.sort(compare)));
}

async function sortedByLabels(asked: AskedCall, direction: 1 | -1): Promise<VectorValue> {
  const keys: string[] = [];
  for (let place = 1; place < asked.call.args.length; place += 1) {
    keys.push(textAt(asked, place));
  }
  const vector = await vectorAt(asked, 0);
  if (asked.frame.count !== 1) return vector;
  const { labels } = vector;
  // What is alike by these keys is in the order of all labels.
  const usual = new Uint32Array(labels.rowCount);
  rowsInOrder(labels).forEach((row, place) => {
    usual[row] = place;
  });
  const ranks = [...keys.map((key) => naturalRanks(labels, key)), usual];
  return inOrder(vector, (a, b) => {
    const of = ranks.find((one) => one[a] !== one[b]) ?? usual;
    return direction * ((of[a] ?? 0) - (of[b] ?? 0));
  });
}

/** By row: where its text stands among all of that key, those that are alike at one place. */
function naturalRanks(labels: LabelTable, key: string): Uint32Array {
  const column = labels.columns.get(key);
  if (column === undefined) return new Uint32Array(labels.rowCount);
  const parted = ['', ...column.texts].map((text, code) => ({ code, parts: partsOf(text) }));
  parted.sort((a, b) => compareNaturally(a.parts, b.parts));
  const ranks = new Uint32Array(parted.length);
  let rank = 0;
  parted.forEach((one, place) => {
    const before = parted[place - 1];
    if (before !== undefined && compareNaturally(before.parts, one.parts) !== 0) rank += 1;
    ranks[one.code] = rank;
  });
  return column.codes.map((code) => ranks[code] ?? 0);
}

type Part = string | bigint;

/** Numbers in texts count as numbers: `node2` is before `node10`. */
function partsOf(text: string): readonly Part[] {
  return (text.match(/\d+|\D+/g) ?? []).map((part) => (/^\d/.test(part) ? BigInt(part) : part));
}

function compareNaturally(left: readonly Part[], right: readonly Part[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = compareParts(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareParts(a: Part, b: Part): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a === b ? 0 : a < b ? -1 : 1;
  return compareText(String(a), String(b));
}

export const sortFunctions: Implementations = {
  sort: (asked) => sorted(asked, 1),
  sort_desc: (asked) => sorted(asked, -1),
  sort_by_label: (asked) => sortedByLabels(asked, 1),
  sort_by_label_desc: (asked) => sortedByLabels(asked, -1),
};
