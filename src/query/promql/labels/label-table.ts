/** The labels of rows, a column a key. */

import { isWellFormed } from '../../../common/model/names.js';
import { inTurns, type Pauses } from '../../limits/turns.js';
import { compareText } from '../../values/value.js';
import { nativeNames } from '../../../storage/storage.js';
import { goQuote } from '../syntax/quote.js';
import { ColumnBuilder, LabelColumn } from './column.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { LabelTable as StoredTable } from '../../../storage/storage.js';

export const kNameKey = '__name__';
/** What goes when the name goes. */
export const metadataKeys: readonly string[] = nativeNames.metadataLabels;

/** Not empty, and of UTF-8: bytes that are none have become lone surrogates. */
export function isLabelName(key: string): boolean {
  return key !== '' && isWellFormed(key);
}

export class LabelTable {
  readonly rowCount: number;
  /** Without order. */
  readonly columns: ReadonlyMap<string, LabelColumn>;

  constructor(rowCount: number, columns: ReadonlyMap<string, LabelColumn>) {
    this.rowCount = rowCount;
    this.columns = columns;
  }

  /** Of the addon, whose texts ascend. */
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

  /** One row. */
  static one(labels: Iterable<readonly [string, string]>): LabelTable {
    const columns = new Map<string, LabelColumn>();
    for (const [key, text] of labels) {
      if (text !== '') columns.set(key, new LabelColumn([text], Uint32Array.of(1)));
    }
    return new LabelTable(1, columns);
  }

  /** '' for none. */
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

  /** These rows, in this order; a row may come more than once. */
  pick(rows: Uint32Array): LabelTable {
    const columns = new Map<string, LabelColumn>();
    for (const [key, column] of this.columns) {
      columns.set(key, column.withCodes(rows.map((row) => column.codes[row] ?? 0)));
    }
    return new LabelTable(rows.length, columns);
  }

  /** Some rows lose these labels. */
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

  /** They ascend by bytes. */
  sortedKeys(): string[] {
    return [...this.columns.keys()].sort(compareText);
  }

  /** As Prometheus writes a series: `name{key="text", …}`. */
  describe(row: number): string {
    const parts: string[] = [];
    for (const key of this.sortedKeys()) {
      const text = this.textOf(row, key);
      if (text !== '' && key !== kNameKey) parts.push(`${key}=${goQuote(text)}`);
    }
    const name = this.textOf(row, kNameKey);
    return parts.length === 0 && name !== '' ? name : `${name}{${parts.join(', ')}}`;
  }

  /** What stored() gives is made in turns. */
  async pack(pauses: Pauses): Promise<void> {
    for (const column of this.columns.values()) await column.pack(pauses);
  }

  /** For the addon. */
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

/** All rows of all, over common texts. */
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

/** Their texts stand there already, so that nothing is counted. */
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
