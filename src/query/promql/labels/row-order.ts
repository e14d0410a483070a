/**
 * The order of series: by label pairs. If one series' labels are a prefix of another's, it comes
 * first.
 */

import { inSpans, type Pauses } from '../../limits/turns.js';
import { ascendingTexts } from './merged-texts.js';

import type { LabelColumn } from './column.js';
import type { LabelTable } from './label-table.js';

/** 0, 1, 2, … */
export function numbersBelow(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) numbers[at] = at;
  return numbers;
}

/** A stable radix sort, from the last column to the first, in time linear in the cells. */
export async function rowsInOrder(labels: LabelTable, pauses: Pauses): Promise<Uint32Array> {
  let rows = numbersBelow(labels.rowCount);
  if (rows.length < 2) return rows;
  // 1 if the row has any label of the keys processed so far.
  const hasMore = new Uint8Array(labels.rowCount);
  for (const key of labels.sortedKeys().reverse()) {
    const column = labels.columns.get(key);
    if (column === undefined) continue;
    rows = await sortedBy(await ranksOf(column, pauses), { column, rows, hasMore, pauses });
  }
  return rows;
}

interface Unsorted {
  readonly column: LabelColumn;
  readonly rows: Uint32Array;
  readonly hasMore: Uint8Array;
  readonly pauses: Pauses;
}

/**
 * Sorts by rank of the text. Rows without the label come first, or last if they have a later label.
 */
async function sortedBy(
  ranks: Uint32Array,
  { column: { codes }, rows, hasMore, pauses }: Unsorted,
): Promise<Uint32Array> {
  const last = ranks.length;
  const rankOf = (row: number): number => {
    const code = codes[row] ?? 0;
    if (code !== 0) return ranks[code] ?? 0;
    return hasMore[row] === 1 ? last : 0;
  };
  const places = new Uint32Array(last + 2);
  await inSpans(pauses, { count: rows.length }, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const rank = rankOf(rows[at] ?? 0);
      places[rank + 1] = (places[rank + 1] ?? 0) + 1;
    }
  });
  await inSpans(pauses, { count: last + 1 }, (from, to) => {
    for (let rank = from; rank < to; rank += 1) {
      places[rank + 1] = (places[rank + 1] ?? 0) + (places[rank] ?? 0);
    }
  });
  const sorted = new Uint32Array(rows.length);
  await inSpans(pauses, { count: rows.length }, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const row = rows[at] ?? 0;
      const rank = rankOf(row);
      const place = places[rank] ?? 0;
      sorted[place] = row;
      places[rank] = place + 1;
    }
  });
  await inSpans(pauses, { count: codes.length }, (from, to) => {
    for (let row = from; row < to; row += 1) if (codes[row] !== 0) hasMore[row] = 1;
  });
  return sorted;
}

/** By code: the rank of its text among all texts, from 1. */
async function ranksOf(column: LabelColumn, pauses: Pauses): Promise<Uint32Array> {
  const { ranks } = await ascendingTexts(column, pauses);
  return ranks ?? numbersBelow(column.textCount + 1);
}
