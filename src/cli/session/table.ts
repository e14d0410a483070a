/** Tables for people: columns side by side, nothing drawn around them. */

import { createRequire } from 'node:module';

import { visible } from '../../common/model/visible-text.js';

import { fitted } from './fit.js';

import type CliTable from 'cli-table3';

// Every command knows tables, few print one, and the library takes longer to load than the rest.
let library: typeof CliTable | undefined;

function tableOf(options: CliTable.TableConstructorOptions): CliTable.Table {
  library ??= createRequire(import.meta.url)('cli-table3') as typeof CliTable;
  return new library(options);
}

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

export type Cell = string | number | bigint | boolean | null | undefined;

const borders = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'];
const moreBorders = ['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
const bare = {
  ...Object.fromEntries([...borders, ...moreBorders].map((name) => [name, ''])),
  middle: '  ',
};

/** The library takes its time for each row, and fails at some hundred thousand. */
const kTableRowsMax = 1000;

interface TableOptions {
  readonly hasHead?: boolean;
  /** Of the screen that it goes to; null where it may be as wide as it is. */
  readonly width: number | null;
}

/** The table as text, every line with its newline. */
export function printTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { hasHead = true, width }: TableOptions,
): string {
  if (rows.length === 0 && !hasHead) return '';
  const head = hasHead ? [columns.map(({ name }) => visible(name.toUpperCase()))] : [];
  const whole = [...head, ...rows.map((row) => row.map(shown))];
  const lines = width === null ? whole : fitted(columns, whole, width);
  if (rows.length > kTableRowsMax) return printLongTable(columns, lines);
  const table = tableOf({
    chars: bare,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: columns.map(({ isNumber }) => (isNumber === true ? 'right' : 'left')),
  });
  for (const line of lines) table.push([...line]);
  const text = table.toString().split('\n');
  return text.map((line) => `${line.trimEnd()}\n`).join('');
}

function printLongTable(columns: readonly Column[], lines: readonly (readonly string[])[]): string {
  const known = new Map<string, number>();
  const widthOf = (text: string): number => {
    if (/^[ -~]*$/.test(text)) return text.length;
    const width = known.get(text) ?? measuredWidth(text);
    known.set(text, width);
    return width;
  };
  const widths = columns.map((_, at) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[at] ?? '')), 0),
  );
  const printLine = (line: readonly string[]): string => {
    const padded = line.map((text, at) => {
      const blanks = ' '.repeat((widths[at] ?? 0) - widthOf(text));
      return columns[at]?.isNumber === true ? blanks + text : text + blanks;
    });
    return `${padded.join('  ').trimEnd()}\n`;
  };
  return lines.map(printLine).join('');
}

/** Columns of the terminal that a text takes; the library knows what is wide. */
function measuredWidth(text: string): number {
  const table = tableOf({ style: { 'padding-left': 0, 'padding-right': 0 } });
  table.push([text]);
  table.toString();
  return table.options.colWidths[0] ?? text.length;
}

/** Names and values side by side, whole: where the screen breaks one, nothing stands askew. */
export function printFacts(facts: readonly (readonly [string, Cell])[]): string {
  return printTable([{ name: 'name' }, { name: 'value' }], facts, { hasHead: false, width: null });
}

/** A cell as it is printed; what is not there is a dash. */
export function shown(cell: Cell): string {
  return cell === null || cell === undefined ? '-' : visible(printCell(cell));
}

function printCell(cell: string | number | bigint | boolean): string {
  return Object.is(cell, -0) ? '-0' : String(cell);
}

/** `{host=a, zone=b}` without the braces. */
export function printLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return pairs.map(([key, value]) => `${key}=${value}`).join(', ');
}
