/** The order of rows, where a query has one step. */

import { pickRows, type VectorValue } from '../vectors/value.js';
import { compareTexts, type LabelTable } from '../labels/label-table.js';
import { textAt, vectorAt } from './arguments.js';

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
    keys.push(await textAt(asked, place));
  }
  const vector = await vectorAt(asked, 0);
  if (asked.frame.count !== 1) return vector;
  const { labels } = vector;
  return inOrder(vector, (a, b) => direction * compareRows(labels, keys, [a, b]));
}

function compareRows(
  labels: LabelTable,
  keys: readonly string[],
  [a, b]: readonly [number, number],
): number {
  for (const key of keys) {
    const order = compareNaturally(labels.textOf(a, key), labels.textOf(b, key));
    if (order !== 0) return order;
  }
  return compareTexts(labels.describe(a), labels.describe(b));
}

/** Numbers in texts count as numbers: `node2` is before `node10`. */
function compareNaturally(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = compareParts(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || compareTexts(a, b);
}

function partsOf(text: string): readonly string[] {
  return text.match(/\d+|\D+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  if (/^\d/.test(a) && /^\d/.test(b)) {
    const [left, right] = [BigInt(a), BigInt(b)];
    return left === right ? 0 : left < right ? -1 : 1;
  }
  return compareTexts(a, b);
}

export const sortFunctions: Implementations = {
  sort: (asked) => sorted(asked, 1),
  sort_desc: (asked) => sorted(asked, -1),
  sort_by_label: (asked) => sortedByLabels(asked, 1),
  sort_by_label_desc: (asked) => sortedByLabels(asked, -1),
};
