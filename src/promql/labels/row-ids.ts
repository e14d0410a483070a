/** Which rows have the same labels. */

import { concatLabels, kNameKey, type LabelTable } from './label-table.js';

/** Numbers from 0 on, the same for rows with the same labels, in the order of their first rows. */
export interface RowIds {
  readonly ids: Uint32Array;
  readonly count: number;
}

/** By all columns. */
export function rowIds(labels: LabelTable): RowIds {
  let known: RowIds = {
    ids: new Uint32Array(labels.rowCount),
    count: Math.min(1, labels.rowCount),
  };
  for (const { codes, textCount } of labels.columns.values()) {
    known = refined(known, codes, textCount + 1);
  }
  return known;
}

/** Places for so many pairs of an id and a code are had at once. */
const kDenseMin = 4096;

function refined({ ids, count }: RowIds, codes: Uint32Array, codeCount: number): RowIds {
  const most = count * codeCount;
  if (most > kDenseMin + 4 * ids.length) return numbered(ids, codes, codeCount);
  return numberedDense(
    ids.map((id, row) => id * codeCount + (codes[row] ?? 0)),
    most,
  );
}

/** Pairs may need more than 32 bits. */
function numbered(ids: Uint32Array, codes: Uint32Array, codeCount: number): RowIds {
  const idOf = new Map<number, number>();
  const next = ids.map((known, row) => {
    const pair = known * codeCount + (codes[row] ?? 0);
    let id = idOf.get(pair);
    if (id === undefined) idOf.set(pair, (id = idOf.size));
    return id;
  });
  return { ids: next, count: idOf.size };
}

function numberedDense(pairs: Uint32Array, most: number): RowIds {
  const idOf = new Uint32Array(most);
  let count = 0;
  const ids = pairs.map((pair) => {
    if (idOf[pair] === 0) idOf[pair] = count += 1;
    return (idOf[pair] ?? 0) - 1;
  });
  return { ids, count };
}

/** Which labels make groups: these, or all but these and the name. */
export interface Grouping {
  readonly isWithout: boolean;
  readonly labels: readonly string[];
}

/** The labels of each row's group. */
export function groupLabels(labels: LabelTable, { isWithout, labels: keys }: Grouping): LabelTable {
  return isWithout ? labels.without([...keys, kNameKey]) : labels.only(keys);
}

/** Signatures of two sides, by numbers that both share. */
export interface JointIds {
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly count: number;
}

export function jointIds(left: LabelTable, right: LabelTable, grouping: Grouping): JointIds {
  const both = concatLabels([groupLabels(left, grouping), groupLabels(right, grouping)]);
  const { ids, count } = rowIds(both);
  return { left: ids.subarray(0, left.rowCount), right: ids.subarray(left.rowCount), count };
}

/** The first row of each id. */
export function firstRows({ ids, count }: RowIds): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = ids.length - 1; row >= 0; row -= 1) rows[ids[row] ?? 0] = row;
  return rows;
}

/** The rows of each id, one after another: those of id i from starts[i] to starts[i + 1]. */
export interface RowsById {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

export function rowsById(ids: Uint32Array, count: number): RowsById {
  const starts = new Uint32Array(count + 1);
  for (const id of ids) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
  for (let id = 0; id < count; id += 1) starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
  const next = starts.slice();
  const rows = new Uint32Array(ids.length);
  ids.forEach((id, row) => {
    const place = next[id] ?? 0;
    rows[place] = row;
    next[id] = place + 1;
  });
  return { starts, rows };
}
