/** Finds rows with the same labels. */

import { inSpans, kSpan, type Pauses } from '../../limits/turns.js';
import { joinedCodes, type CodeColumn } from './joined-column.js';
import { kNameKey, type LabelTable } from './label-table.js';

/** Row ids from 0 on, in the order of first rows. Rows with equal labels have the same id. */
export interface RowIds {
  readonly ids: Uint32Array;
  readonly count: number;
}

/** Compares all columns. */
export function rowIds({ rowCount, columns }: LabelTable, pauses: Pauses): Promise<RowIds> {
  return idsOf(rowCount, [...columns.values()], pauses);
}

async function idsOf(
  rowCount: number,
  columns: readonly CodeColumn[],
  pauses: Pauses,
): Promise<RowIds> {
  let known: RowIds = { ids: new Uint32Array(rowCount), count: Math.min(1, rowCount) };
  // Starts with the most distinctive column. Once all rows differ, the other columns are skipped.
  for (const column of [...columns].sort((a, b) => b.textCount - a.textCount)) {
    if (known.count === rowCount) break;
    if (await isTold(known, column, pauses)) continue;
    known = await refined(known, column, pauses);
  }
  return known;
}

/** True if rows of equal ids have equal codes, so that the column tells no more of them apart. */
async function isTold(
  { ids, count }: RowIds,
  { codes }: CodeColumn,
  pauses: Pauses,
): Promise<boolean> {
  // The code of the first row of each id, plus one.
  const codeOf = new Uint32Array(count);
  let isSame = true;
  for (let from = 0; from < ids.length && isSame; from += kSpan) {
    const to = Math.min(ids.length, from + kSpan);
    isSame = hasOneCode({ ids, codes, codeOf }, from, to);
    if (to - from === kSpan) await pauses.breathe();
  }
  return isSame;
}

function hasOneCode(
  {
    ids,
    codes,
    codeOf,
  }: { readonly ids: Uint32Array; readonly codes: Uint32Array; readonly codeOf: Uint32Array },
  from: number,
  to: number,
): boolean {
  for (let row = from; row < to; row += 1) {
    const id = ids[row] ?? 0;
    const code = (codes[row] ?? 0) + 1;
    const known = codeOf[id] ?? 0;
    if (known === 0) codeOf[id] = code;
    else if (known !== code) return false;
  }
  return true;
}

/** A dense table may always have this many entries, one per pair of id and code. */
const kDenseMin = 4096;

function refined(known: RowIds, column: CodeColumn, pauses: Pauses): Promise<RowIds> {
  const most = known.count * (column.textCount + 1);
  return most > kDenseMin + 4 * known.ids.length
    ? numbered(known.ids, column, pauses)
    : numberedDense(known.ids, column, { most, pauses });
}

/** Uses a hash table with open addressing, at most half full; a Map is far slower. */
async function numbered(ids: Uint32Array, { codes }: CodeColumn, pauses: Pauses): Promise<RowIds> {
  const size = 1 << (33 - Math.clz32(ids.length));
  const firstAt = new Uint32Array(size);
  const next = new Uint32Array(ids.length);
  let count = 0;
  await inSpans(pauses, { count: ids.length, width: 4 }, (from, to) => {
    for (let row = from; row < to; row += 1) {
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
  });
  return { ids: next, count };
}

/** `most`: the number of pairs of an id and a code. */
async function numberedDense(
  ids: Uint32Array,
  { codes, textCount }: CodeColumn,
  { most, pauses }: { readonly most: number; readonly pauses: Pauses },
): Promise<RowIds> {
  const idOf = new Uint32Array(most);
  const next = new Uint32Array(ids.length);
  let count = 0;
  await inSpans(pauses, { count: ids.length }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const pair = (ids[row] ?? 0) * (textCount + 1) + (codes[row] ?? 0);
      let id = idOf[pair] ?? 0;
      if (id === 0) idOf[pair] = id = count += 1;
      next[row] = id - 1;
    }
  });
  return { ids: next, count };
}

/** The labels that form groups: `labels`, or all except these and the name. */
export interface RowGrouping {
  readonly isWithout: boolean;
  readonly labels: readonly string[];
}

/** The labels of each row's group. */
export function groupLabels(
  labels: LabelTable,
  { isWithout, labels: keys }: RowGrouping,
): LabelTable {
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
  grouping: RowGrouping,
  pauses: Pauses,
): Promise<JointIds> {
  const [left, right] = [groupLabels(sides.left, grouping), groupLabels(sides.right, grouping)];
  const columns: CodeColumn[] = [];
  for (const key of new Set([...left.columns.keys(), ...right.columns.keys()])) {
    const parts = {
      left: { rowCount: left.rowCount, column: left.columns.get(key) },
      right: { rowCount: right.rowCount, column: right.columns.get(key) },
    };
    columns.push(await joinedCodes(parts, pauses));
  }
  const { ids, count } = await idsOf(left.rowCount + right.rowCount, columns, pauses);
  return { left: ids.subarray(0, left.rowCount), right: ids.subarray(left.rowCount), count };
}

/** The first row of each id. */
export async function firstRows({ ids, count }: RowIds, pauses: Pauses): Promise<Uint32Array> {
  const rows = new Uint32Array(count);
  let next = 0;
  await inSpans(pauses, { count: ids.length }, (from, to) => {
    for (let row = from; row < to; row += 1) if (ids[row] === next) rows[next++] = row;
  });
  return rows;
}

/** The rows by id. The rows of id i are at starts[i] to starts[i + 1] - 1. */
export interface RowsById {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

export async function rowsById({ ids, count }: RowIds, pauses: Pauses): Promise<RowsById> {
  const starts = new Uint32Array(count + 1);
  await inSpans(pauses, { count: ids.length }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const id = ids[row] ?? 0;
      starts[id + 1] = (starts[id + 1] ?? 0) + 1;
    }
  });
  await inSpans(pauses, { count }, (from, to) => {
    for (let id = from; id < to; id += 1)
      starts[id + 1] = (starts[id + 1] ?? 0) + (starts[id] ?? 0);
  });
  const next = starts.slice();
  const rows = new Uint32Array(ids.length);
  await inSpans(pauses, { count: ids.length }, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const id = ids[row] ?? 0;
      const place = next[id] ?? 0;
      rows[place] = row;
      next[id] = place + 1;
    }
  });
  return { starts, rows };
}
