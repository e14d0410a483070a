/** Joins one label of several tables: their rows, one table after the other, with shared texts. */

import { inSpans, type Pauses } from '../../limits/turns.js';
import { LabelColumn } from './column.js';
import { ascendingTexts, jointRanks, mergedTexts } from './merged-texts.js';

import type { Guard } from '../../limits/guard.js';

/** Pauses of a query, and the account of its texts. */
export type HoldingPauses = Pauses & Pick<Guard, 'texts'>;

/** The rows of one table. `column` is undefined if none has the label. */
interface Part {
  readonly column: LabelColumn | undefined;
  readonly rowCount: number;
}

/** Texts as numbers: 0 if a row lacks the label, otherwise up to `textCount`. */
export type CodeColumn = Pick<LabelColumn, 'codes' | 'textCount'>;

/** Throws `query_limit_exceeded` if there is no room for the texts. */
export async function joinedColumn(
  parts: readonly Part[],
  guard: HoldingPauses,
): Promise<LabelColumn> {
  const columns = parts.flatMap(({ column }) => (column === undefined ? [] : [column]));
  const [only, ...more] = columns;
  if (only !== undefined && more.length === 0) {
    return only.withCodes(await placedCodes(parts, [null], guard));
  }
  const lists = [];
  for (const column of columns) lists.push(await ascendingTexts(column, guard));
  const { texts, ranks } = await mergedTexts(
    lists.map((list) => list.texts),
    guard,
  );
  // Sorted texts of a column are a copy, which the new column keeps.
  if (!lists.some((list) => list.texts === texts && list.ranks === null)) {
    guard.texts.hold(texts.bytes.length + texts.ends.byteLength);
  }
  const byCode: Uint32Array[] = [];
  for (const [at, own] of ranks.entries()) {
    byCode.push(await composed(lists[at]?.ranks ?? null, own, guard));
  }
  const codes = await placedCodes(parts, byCode, guard);
  return new LabelColumn(texts, codes, { isAscending: true, account: guard.texts });
}

/** The same for two tables, without the texts. */
export async function joinedCodes(
  { left, right }: { readonly left: Part; readonly right: Part },
  pauses: Pauses,
): Promise<CodeColumn> {
  const parts = [left, right];
  if (left.column === undefined || right.column === undefined) {
    const textCount = (left.column ?? right.column)?.textCount ?? 0;
    return { codes: await placedCodes(parts, [null], pauses), textCount };
  }
  const lists = {
    left: await ascendingTexts(left.column, pauses),
    right: await ascendingTexts(right.column, pauses),
  };
  const ranks = await jointRanks(lists.left.texts, lists.right.texts, pauses);
  const byCode = [
    await composed(lists.left.ranks, ranks.left, pauses),
    await composed(lists.right.ranks, ranks.right, pauses),
  ];
  return { codes: await placedCodes(parts, byCode, pauses), textCount: ranks.count };
}

/** `second` after `first`; null: `first` changes nothing. */
async function composed(
  first: Uint32Array | null,
  second: Uint32Array,
  pauses: Pauses,
): Promise<Uint32Array> {
  if (first === null) return second;
  const both = new Uint32Array(first.length);
  await inSpans(pauses, { count: both.length }, (from, to) => {
    for (let code = from; code < to; code += 1) both[code] = second[first[code] ?? 0] ?? 0;
  });
  return both;
}

/** `byCode`: for each part with a column, the new codes; null: the codes stay. */
async function placedCodes(
  parts: readonly Part[],
  byCode: readonly (Uint32Array | null)[],
  pauses: Pauses,
): Promise<Uint32Array> {
  const placed = new Uint32Array(parts.reduce((sum, { rowCount }) => sum + rowCount, 0));
  let [first, at] = [0, 0];
  for (const { column, rowCount } of parts) {
    if (column !== undefined) {
      const { codes } = column;
      const moved = byCode[at] ?? null;
      const into = placed.subarray(first, first + rowCount);
      await inSpans(pauses, { count: rowCount }, (from, to) => {
        for (let row = from; row < to; row += 1) {
          const code = codes[row] ?? 0;
          into[row] = moved === null ? code : (moved[code] ?? 0);
        }
      });
      await pauses.breathe();
      at += 1;
    }
    first += rowCount;
  }
  return placed;
}
