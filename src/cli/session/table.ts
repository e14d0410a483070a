/** Tables for terminals, without borders. */

import { visible } from '../../common/model/visible-text.js';

import { columnWidths, fitted, kGap, widthOf } from './fit.js';

export interface PrintedColumn {
  readonly name: string;
  readonly isNumber?: boolean;
}

export type Cell = string | number | bigint | boolean | null | undefined;

interface PrintedTableOptions {
  readonly hasHead?: boolean;
  /** The width of the screen; null: unlimited. */
  readonly width: number | null;
}

/** The table as text, every line with its newline. */
export function printTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly Cell[])[],
  { hasHead = true, width }: PrintedTableOptions,
): string {
  if (rows.length === 0 && !hasHead) return '';
  const head = hasHead ? [columns.map(({ name }) => visible(name.toUpperCase()))] : [];
  const whole = [...head, ...rows.map((row) => row.map(shown))];
  const lines = width === null ? whole : fitted(columns, whole, width);
  const widths = columnWidths(columns, lines);
  const printLine = (line: readonly string[]): string => {
    const padded = line.map((text, at) => {
      const blanks = ' '.repeat((widths[at] ?? 0) - widthOf(text));
      return columns[at]?.isNumber === true ? blanks + text : text + blanks;
    });
    return `${padded.join(' '.repeat(kGap)).trimEnd()}\n`;
  };
  return lines.map(printLine).join('');
}

/** Names and values side by side, whole: where the screen breaks one, nothing stands askew. */
export function printFacts(facts: readonly (readonly [string, Cell])[]): string {
  return printTable([{ name: 'name' }, { name: 'value' }], facts, { hasHead: false, width: null });
}

/** The text of a cell; a missing value is a dash. */
export function shown(cell: Cell): string {
  return cell === null || cell === undefined ? '-' : visible(printCell(cell));
}

function printCell(cell: string | number | bigint | boolean): string {
  return Object.is(cell, -0) ? '-0' : String(cell);
}

/** `host=a, zone=b`, sorted by key. */
export function printLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return pairs.map(([key, value]) => `${key}=${value}`).join(', ');
}
