/** The labels of rows, one column per key. */

import { isWellFormed } from '../../../common/model/names.js';
import { inTurns, type Pauses } from '../../limits/turns.js';
import { compareText } from '../../values/value.js';
import { nativeNames } from '../../../storage/storage.js';
import { goQuote } from '../syntax/quote.js';
import { ColumnBuilder, LabelColumn } from './column.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { LabelTable as StoredTable } from '../../../storage/storage.js';

export const kNameKey = '__name__';
/** The labels that are dropped together with the name. */
export const metadataKeys: readonly string[] = nativeNames.metadataLabels;

/** True unless it is empty or not UTF-8. Invalid bytes have become lone surrogates. */
export function isLabelName(key: string): boolean {
  return key !== '' && isWellFormed(key);
}

export class LabelTable {
  readonly rowCount: number;
  /** In no particular order. */
  readonly columns: ReadonlyMap<string, LabelColumn>;

  constructor(rowCount: number, columns: ReadonlyMap<string, LabelColumn>) {
    this.rowCount = rowCount;
    this.columns = columns;
  }

  /** A table from the addon, whose texts ascend. */
  static of(
    rowCount: number,
    { keys, texts, codes }: StoredTable,
    account: TextAccount | null = null,
  ): LabelTable {
    const columns = keys.map((key, place): [string, LabelColumn] => [
      key,
      new LabelColumn(texts[place] ?? [], codes[place] ?? new Uint32Array(rowCount), {
        isAscending: true,
        account,
      }),
    ]);
    return new LabelTable(rowCount, new Map(columns));
  }

  /** Rows without any label. */
  static none(rowCount: number): LabelTable {
    return new LabelTable(rowCount, new Map());
  }

  /** A table of one row. */
  static one(labels: Iterable<readonly [string, string]>): LabelTable {
    const columns = new Map<string, LabelColumn>();
    for (const [key, text] of labels) {
      if (text !== '') columns.set(key, new LabelColumn([text], Uint32Array.of(1)));
    }
    return new LabelTable(1, columns);
  }

  /** '' if the row lacks the label. */
  textOf(row: number, key: string): string {
    return this.columns.get(key)?.textOf(row) ?? '';
  }

  without(keys: readonly string[]): LabelTable {
    if (!keys.some((key) => this.columns.has(key))) return this;
    const columns = new Map(this.columns);
    for (const key of keys) columns.delete(key);
    return new LabelTable(this.rowCount, columns);
  }

  only(keys: readonly string[]): LabelTable {
    const columns = new Map<string, LabelColumn>();
    for (const key of keys) {
      const column = this.columns.get(key);
      if (column !== undefined) columns.set(key, column);
    }
    return new LabelTable(this.rowCount, columns);
  }

  with(key: string, column: LabelColumn): LabelTable {
    return new LabelTable(this.rowCount, new Map(this.columns).set(key, column));
  }

  /** The given rows in the given order. A row may occur more than once. */
  pick(rows: Uint32Array): LabelTable {
    const columns = new Map<string, LabelColumn>();
    for (const [key, column] of this.columns) {
      columns.set(key, column.withCodes(rows.map((row) => column.codes[row] ?? 0)));
    }
    return new LabelTable(rows.length, columns);
  }

  /** Removes the labels from the rows for which `isCleared` is true. */
  clear(keys: readonly string[], isCleared: (row: number) => boolean): LabelTable {
    const columns = new Map(this.columns);
    for (const key of keys) {
      const column = columns.get(key);
      if (column === undefined) continue;
      columns.set(
        key,
        column.withCodes(column.codes.map((code, row) => (isCleared(row) ? 0 : code))),
      );
    }
    return new LabelTable(this.rowCount, columns);
  }

  /** The keys, ascending by bytes. */
  sortedKeys(): string[] {
    return [...this.columns.keys()].sort(compareText);
  }

  /** A series as Prometheus writes it: `name{key="text", …}`. */
  describe(row: number): string {
    const parts: string[] = [];
    for (const key of this.sortedKeys()) {
      const text = this.textOf(row, key);
      if (text !== '' && key !== kNameKey) parts.push(`${key}=${goQuote(text)}`);
    }
    const name = this.textOf(row, kNameKey);
    return parts.length === 0 && name !== '' ? name : `${name}{${parts.join(', ')}}`;
  }

  /** Prepares stored() without blocking. */
  async pack(pauses: Pauses): Promise<void> {
    for (const column of this.columns.values()) await column.pack(pauses);
  }

  /** The table in the addon's form. */
  stored(): StoredTable {
    const keys = this.sortedKeys();
    const columns = keys.map(
      (key) => this.columns.get(key) ?? new LabelColumn([], new Uint32Array()),
    );
    return {
      keys,
      texts: columns.map(({ packed }) => packed),
      codes: columns.map(({ codes }) => codes),
    };
  }
}

/** The rows of all tables, with shared texts. */
export async function concatLabels(
  tables: readonly LabelTable[],
  pauses: Pauses,
): Promise<LabelTable> {
  const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0);
  const columns = new Map<string, LabelColumn>();
  for (const key of new Set(tables.flatMap((table) => [...table.columns.keys()]))) {
    columns.set(key, await joinedColumn(tables, { key, rowCount }, pauses));
  }
  return new LabelTable(rowCount, columns);
}

/** The texts are already held and accounted for, so they are not charged again. */
async function joinedColumn(
  tables: readonly LabelTable[],
  { key, rowCount }: { readonly key: string; readonly rowCount: number },
  pauses: Pauses,
): Promise<LabelColumn> {
  const builder = new ColumnBuilder(rowCount);
  let first = 0;
  for (const { rowCount: count, columns } of tables) {
    const column = columns.get(key);
    const moved = [0];
    await column?.unpack(pauses);
    await inTurns(pauses, column?.texts ?? [], (text) => moved.push(builder.codeOf(text)));
    column?.codes.forEach((code, row) => {
      builder.set(first + row, moved[code] ?? 0);
    });
    first += count;
  }
  return builder.finish();
}
