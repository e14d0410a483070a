/** The labels of rows, one column per key. */

import { isWellFormed } from '../../../common/model/names.js';
import { inSpans, type Pauses } from '../../limits/turns.js';
import { compareText } from '../../values/value.js';
import { nativeNames } from '../../../storage/storage.js';
import { goQuote } from '../syntax/quote.js';
import { LabelColumn } from './column.js';
import { joinedColumn, type HoldingPauses } from './joined-column.js';

import type { TextAccount } from '../../limits/text-account.js';
import type { StoredLabelTable } from '../../../storage/storage.js';

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
    { keys, texts, codes }: StoredLabelTable,
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
  async pick(rows: Uint32Array, pauses: Pauses): Promise<LabelTable> {
    const columns = new Map<string, LabelColumn>();
    for (const [key, column] of this.columns) {
      const { codes } = column;
      const picked = new Uint32Array(rows.length);
      await inSpans(pauses, { count: rows.length }, (from, to) => {
        for (let at = from; at < to; at += 1) picked[at] = codes[rows[at] ?? 0] ?? 0;
      });
      columns.set(key, column.withCodes(picked));
    }
    return new LabelTable(rows.length, columns);
  }

  /** Removes the labels from the rows whose flag is 1. */
  async clear(keys: readonly string[], flags: Uint8Array, pauses: Pauses): Promise<LabelTable> {
    const columns = new Map(this.columns);
    for (const key of keys) {
      const column = columns.get(key);
      if (column === undefined) continue;
      const codes = column.codes.slice();
      await inSpans(pauses, { count: codes.length }, (from, to) => {
        for (let row = from; row < to; row += 1) if (flags[row] === 1) codes[row] = 0;
      });
      columns.set(key, column.withCodes(codes));
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
  stored(): StoredLabelTable {
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
  guard: HoldingPauses,
): Promise<LabelTable> {
  const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0);
  const columns = new Map<string, LabelColumn>();
  for (const key of new Set(tables.flatMap((table) => [...table.columns.keys()]))) {
    const parts = tables.map((table) => ({
      column: table.columns.get(key),
      rowCount: table.rowCount,
    }));
    columns.set(key, await joinedColumn(parts, guard));
  }
  return new LabelTable(rowCount, columns);
}
