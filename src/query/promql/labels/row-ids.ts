/** Finds rows with the same labels. */

import type { Pauses } from '../../limits/turns.js';
import { concatLabels, kNameKey, type LabelTable } from './label-table.js';

/** Row ids from 0 on, in the order of first rows. Rows with equal labels have the same id. */
export interface RowIds {
  readonly ids: Uint32Array;
  readonly count: number;
}

/** Compares all columns. */
export function rowIds(labels: LabelTable): RowIds {
  let known: RowIds = {
    ids: new Uint32Array(labels.rowCount),
    count: Math.min(1, labels.rowCount),
  };
  // Starts with the most distinctive column. Once all rows differ, the other columns are skipped.
  const columns = [...labels.columns.values()].sort((a, b) => b.textCount - a.textCount);
  for (const { codes, textCount } of columns) {
    if (known.count === labels.rowCount) break;
    known = refined(known, codes, textCount + 1);
  }
  return known;
}

/** A dense table may always have this many entries, one per pair of id and code. */
const kDenseMin = 4096;

function refined({ ids, count }: RowIds, codes: Uint32Array, codeCount: number): RowIds {
  const most = count * codeCount;
  if (most > kDenseMin + 4 * ids.length) return numbered(ids, codes);
  return numberedDense(
    ids.map((id, row) => id * codeCount + (codes[row] ?? 0)),
    most,
  );
}

/** Uses a hash table with open addressing, at most half full; a Map is far slower. */
function numbered(ids: Uint32Array, codes: Uint32Array): RowIds {
  const size = 1 << (33 - Math.clz32(ids.length));
  const firstAt = new Uint32Array(size);
  const next = new Uint32Array(ids.length);
  let count = 0;
  for (let row = 0; row < ids.length; row += 1) {
    const [id, code] = [ids[row] ?? 0, codes[row] ?? 0];
    const hash = Math.imul(Math.imul(id, 0x9e3779b1) ^ code, 0x85ebca6b);
    let place = (hash ^ (hash >>> 15)) & (size - 1);
    let first = (firstAt[place] ?? 0) - 1;
    while (first >= 0 && (ids[first] !== id || codes[first] !== code)) {
      place = (place + 1) & (size - 1);
      first = (firstAt[place] ?? 0) - 1;
    }
    if (first >= 0) {
      next[row] = next[first] ?? 0;
    } else {
      firstAt[place] = row + 1;
      next[row] = count;
      count += 1;
    }
  }
  return { ids: next, count };
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

/** The labels that form groups: `labels`, or all except these and the name. */
export interface Grouping {
  readonly isWithout: boolean;
  readonly labels: readonly string[];
}

/** The labels of each row's group. */
export function groupLabels(labels: LabelTable, { isWithout, labels: keys }: Grouping): LabelTable {
  return isWithout ? labels.without([...keys, kNameKey]) : labels.only(keys);
}

/** Signatures of two sides, numbered jointly. */
interface JointIds {
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly count: number;
}

export async function jointIds(
  sides: { readonly left: LabelTable; readonly right: LabelTable },
  grouping: Grouping,
  pauses: Pauses,
): Promise<JointIds> {
  const [left, right] = [groupLabels(sides.left, grouping), groupLabels(sides.right, grouping)];
  const both = await concatLabels([left, right], pauses);
  const { ids, count } = rowIds(both);
  return { left: ids.subarray(0, left.rowCount), right: ids.subarray(left.rowCount), count };
}

/** The first row of each id. */
export function firstRows({ ids, count }: RowIds): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = ids.length - 1; row >= 0; row -= 1) rows[ids[row] ?? 0] = row;
  return rows;
}

/** The rows by id. The rows of id i are at starts[i] to starts[i + 1] - 1. */
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
