/** Values of an answer, as the table shows, sorts and copies them. */

import { printSeconds } from '../units.js';
import { perSecond, printTime, type PageClock } from '../zone.js';

import type { QueryColumn, QueryValue } from '../../client/client.js';

export type AnswerRow = readonly QueryValue[];

interface ResultCell {
  readonly text: string;
  /** The tooltip. */
  readonly title?: string;
  readonly look?: 'null' | 'empty';
}

export function isNumber({ type }: QueryColumn): boolean {
  return type === 'integer' || type === 'float' || type === 'duration';
}

/** The significant digits of each float column; null: all digits. */
export type Digits = readonly (number | null)[];

const kDigitsLeast = 6;
/** Further digits are mostly rounding errors. */
const kDigitsMost = 12;
const kToldApart = 2_000;

/** Gives each column the fewest digits that tell its values apart. */
export function digitsOf(columns: readonly QueryColumn[], rows: readonly AnswerRow[]): Digits {
  return columns.map(({ type }, at) => {
    if (type !== 'float') return null;
    const values = new Set(rows.slice(0, kToldApart).map((row) => Number(row[at] ?? 0)));
    let digits = kDigitsLeast;
    while (digits < kDigitsMost && !areApart(values, digits)) digits += 1;
    return digits;
  });
}

const areApart = (values: ReadonlySet<number>, digits: number): boolean =>
  new Set([...values].map((value) => printFloat(value, digits))).size === values.size;

/** Rounds to `digits` significant digits, but never rounds digits before the decimal point. */
function printFloat(value: number, digits: number): string {
  const size = Math.abs(value);
  if (!(size < 1e15) || value === 0) return String(value);
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  return String(Number(value.toPrecision(Math.max(digits, whole))));
}

export const isRoundedBy = (digits: number, value: QueryValue): boolean =>
  typeof value === 'number' && printFloat(value, digits) !== String(value);

/** Integers have all digits; times are in the page's zone; floats have `digits` digits. */
export function cellOf(
  value: QueryValue,
  { type }: QueryColumn,
  { clock, digits }: { readonly clock: PageClock; readonly digits: number | null },
): ResultCell {
  if (value === null) return { text: '∅', title: 'null', look: 'null' };
  if (value === '') return { text: 'empty', title: 'an empty string', look: 'empty' };
  const text = String(value);
  if (typeof value === 'number' && digits !== null) {
    const rounded = printFloat(value, digits);
    return rounded === text ? { text } : { text: rounded, title: text };
  }
  if (typeof value !== 'bigint') return { text };
  if (type === 'timestamp') return { text: printTime(value, clock), title: text };
  if (type !== 'duration') return { text };
  return { text, title: printSeconds(Number(value) / Number(perSecond(clock.unit))) };
}

/** Null sorts last in both directions. */
function compareCells(left: QueryValue, right: QueryValue, isDown: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order = left < right ? -1 : left > right ? 1 : 0;
  return isDown ? -order : order;
}

export interface ColumnOrder {
  readonly column: number;
  readonly isDown: boolean;
}

interface WantedRows {
  readonly filter: string;
  readonly order: ColumnOrder | null;
}

/** The rows that pass the filter, in display order, as indexes into the answer. */
export function arranged(
  rows: readonly AnswerRow[],
  { filter, order }: WantedRows,
  textOf: (value: QueryValue, column: number) => string,
): readonly number[] {
  const wanted = filter.toLowerCase();
  const has = (row: AnswerRow): boolean =>
    wanted === '' || row.some((value, at) => textOf(value, at).toLowerCase().includes(wanted));
  const shown = rows.flatMap((row, at) => (has(row) ? [at] : []));
  if (order === null) return shown;
  const { column, isDown } = order;
  const at = (place: number): QueryValue => rows[place]?.[column] ?? null;
  return shown.sort((left, right) => compareCells(at(left), at(right), isDown));
}

/** For spreadsheets: null is an empty cell; tabs and line breaks become spaces. */
export function tsvOf(rows: readonly (readonly QueryValue[])[]): string {
  const plain = (value: QueryValue): string =>
    value === null ? '' : String(value).replace(/[\t\r\n]+/g, ' ');
  return rows.map((row) => row.map(plain).join('\t')).join('\n');
}

const kSampled = 200;
const kWidest = 60;

/** The width of each column in characters, from the first rows. */
export function widthsOf(
  columns: readonly QueryColumn[],
  rows: readonly AnswerRow[],
  textOf: (value: QueryValue, column: number) => string,
): readonly number[] {
  return columns.map(({ name, type }, at) => {
    const cells = rows.slice(0, kSampled).map((row) => textOf(row[at] ?? null, at).length);
    return Math.min(kWidest, Math.max(name.length + 2, type.length + 2, 4, ...cells));
  });
}
