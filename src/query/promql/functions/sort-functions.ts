/** The order of rows, where a query has one step. */

import { noteTextWork } from '../../limits/text-work.js';
import { eachRow } from '../vectors/context.js';
import { pickRows, type VectorValue } from '../vectors/value.js';
import { inSpans, inTurns, sortInTurns } from '../../limits/turns.js';
import { compareText } from '../../values/value.js';

import { rowsInOrder } from '../labels/row-order.js';
import { textAt, vectorAt } from './arguments.js';

import type { LabelTable } from '../labels/label-table.js';
import type { AskedCall } from '../vectors/context.js';
import { definePromql, type PromqlFunction } from './promql-function.js';

async function sorted(asked: AskedCall, direction: 1 | -1): Promise<VectorValue> {
  const vector = await vectorAt(asked, 0);
  if (asked.frame.count !== 1) return vector;
  const valueOf = (row: number): number => vector.values[row] ?? NaN;
  return inOrder(asked, vector, (a, b) => compareValues(valueOf(a), valueOf(b), direction));
}

/** NaN is last either way. */
function compareValues(a: number, b: number, direction: 1 | -1): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a === b ? 0 : direction * (a < b ? -1 : 1);
}

async function inOrder(
  { evaluate: { context } }: AskedCall,
  vector: VectorValue,
  compare: (a: number, b: number) => number,
): Promise<VectorValue> {
  const { guard } = context;
  const rows: number[] = [];
  await inSpans(guard, { count: vector.labels.rowCount }, (from, to) => {
    for (let row = from; row < to; row += 1) rows.push(row);
  });
  const sorted = await sortInTurns(guard, rows, compare);
  const order = new Uint32Array(sorted.length);
  await inSpans(guard, { count: order.length }, (from, to) => {
    for (let place = from; place < to; place += 1) order[place] = sorted[place] ?? 0;
  });
  return pickRows(vector, order, guard);
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
  const inUsual = await rowsInOrder(labels, asked.evaluate.context.guard);
  const { guard } = asked.evaluate.context;
  await inSpans(guard, { count: usual.length }, (from, to) => {
    for (let place = from; place < to; place += 1) usual[inUsual[place] ?? 0] = place;
  });
  const ranks: Uint32Array[] = [];
  for (const key of keys) ranks.push(await naturalRanks(asked, labels, key));
  ranks.push(usual);
  return inOrder(asked, vector, (a, b) => {
    const of = ranks.find((one) => one[a] !== one[b]) ?? usual;
    return direction * ((of[a] ?? 0) - (of[b] ?? 0));
  });
}

/** By row: where its text stands among all of that key, those that are alike at one place. */
async function naturalRanks(
  { evaluate: { context } }: AskedCall,
  labels: LabelTable,
  key: string,
): Promise<Uint32Array> {
  const column = labels.columns.get(key);
  if (column === undefined) return new Uint32Array(labels.rowCount);
  const { guard } = context;
  await column.unpack(guard);
  const keyed: { readonly code: number; readonly key: string }[] = [{ code: 0, key: '' }];
  await eachRow(context, { rowCount: column.textCount, steps: kCellsOfText }, (place) => {
    const made = naturalKey(column.texts[place] ?? '');
    noteTextWork(made.length * kWorkPerUnit);
    guard.texts.holdText(made);
    keyed.push({ code: place + 1, key: made });
  });
  const sorted = await sortInTurns(guard, keyed, (a, b) => compareText(a.key, b.key));
  const ranks = new Uint32Array(keyed.length);
  let rank = 0;
  await inTurns(guard, sorted, (one, place) => {
    const before = sorted[place - 1];
    if (before !== undefined && before.key !== one.key) rank += 1;
    ranks[one.code] = rank;
  });
  const { codes } = column;
  const ofRows = new Uint32Array(codes.length);
  await inSpans(guard, { count: codes.length }, (from, to) => {
    for (let row = from; row < to; row += 1) ofRows[row] = ranks[codes[row] ?? 0] ?? 0;
  });
  return ofRows;
}

/** A text is as much work as so many cells. */
const kCellsOfText = 25;
/** To make a key takes some units of work for each of its own. */
const kWorkPerUnit = 4;
/** Stands before numbers, so that what ends there is before what goes on. */
const kNumberMark = '\u0000';

/**
 * Its order by bytes is the one of the texts in which numbers count as numbers: `node2` is before
 * `node10`. A number has its length before its digits.
 */
export function naturalKey(text: string): string {
  const key = text.replace(/\0|\d+/g, (found) => {
    if (found === kNumberMark) return `${kNumberMark}\uffff`;
    const digits = found.replace(/^0+(?=\d)/, '');
    return kNumberMark + String.fromCharCode(digits.length) + digits;
  });
  // At the start a number and a text are told apart by their characters.
  return /^\d/.test(text) ? `0${key}` : key;
}

export const sortFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'sort',
    takes: ['vector'],
    sentence: 'The elements by value, ascending.',
    example: 'sort(requests_total)',
    answer:
      'requests_total{instance="1", job="db"} 300, requests_total{instance="1", job="api"} 600',
    evaluate: (asked) => sorted(asked, 1),
  }),
  definePromql({
    name: 'sort_desc',
    takes: ['vector'],
    sentence: 'The elements by value, descending.',
    example: 'sort_desc(requests_total)',
    answer:
      'requests_total{instance="1", job="api"} 600, requests_total{instance="1", job="db"} 300',
    evaluate: (asked) => sorted(asked, -1),
  }),
  definePromql({
    name: 'sort_by_label',
    takes: ['vector', 'string'],
    optional: 'any',
    isExperimental: true,
    sentence: 'The elements by the texts of labels, ascending; numbers in texts count as numbers.',
    example: 'sort_by_label(requests_total, "job")',
    answer:
      'requests_total{instance="1", job="api"} 600, requests_total{instance="1", job="db"} 300',
    evaluate: (asked) => sortedByLabels(asked, 1),
  }),
  definePromql({
    name: 'sort_by_label_desc',
    takes: ['vector', 'string'],
    optional: 'any',
    isExperimental: true,
    sentence: 'The elements by the texts of labels, descending.',
    example: 'sort_by_label_desc(requests_total, "job")',
    answer:
      'requests_total{instance="1", job="db"} 300, requests_total{instance="1", job="api"} 600',
    evaluate: (asked) => sortedByLabels(asked, -1),
  }),
];
