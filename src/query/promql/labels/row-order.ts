/**
 * The order of series: by label pairs. If one series' labels are a prefix of another's, it comes
 * first.
 */

import { sortInTurns, type Pauses } from '../../limits/turns.js';
import { compareText } from '../../values/value.js';

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
    rows = sortedBy(await ranksOf(column, pauses), { column, rows, hasMore });
  }
  return rows;
}

interface Unsorted {
  readonly column: LabelColumn;
  readonly rows: Uint32Array;
  readonly hasMore: Uint8Array;
}

/**
 * Sorts by rank of the text. Rows without the label come first, or last if they have a later label.
 */
function sortedBy(ranks: Uint32Array, { column, rows, hasMore }: Unsorted): Uint32Array {
  const last = ranks.length;
  const rankOf = (row: number): number => {
    const code = column.codes[row] ?? 0;
    if (code !== 0) return ranks[code] ?? 0;
    return hasMore[row] === 1 ? last : 0;
  };
  const places = new Uint32Array(last + 2);
  for (const row of rows) places[rankOf(row) + 1] = (places[rankOf(row) + 1] ?? 0) + 1;
  for (let rank = 0; rank <= last; rank += 1) {
    places[rank + 1] = (places[rank + 1] ?? 0) + (places[rank] ?? 0);
  }
  const sorted = new Uint32Array(rows.length);
  for (const row of rows) {
    const rank = rankOf(row);
    const place = places[rank] ?? 0;
    sorted[place] = row;
    places[rank] = place + 1;
  }
  column.codes.forEach((code, row) => {
    if (code !== 0) hasMore[row] = 1;
  });
  return sorted;
}

/** By code: the rank of its text among all texts, from 1. */
async function ranksOf(column: LabelColumn, pauses: Pauses): Promise<Uint32Array> {
  if (column.isAscending) return numbersBelow(column.textCount + 1);
  await column.unpack(pauses);
  const { texts } = column;
  const places = await sortInTurns(
    pauses,
    texts.map((_text, place) => place),
    (a, b) => compareText(texts[a] ?? '', texts[b] ?? ''),
  );
  const ranks = new Uint32Array(texts.length + 1);
  places.forEach((place, rank) => {
    ranks[place + 1] = rank + 1;
  });
  return ranks;
}
