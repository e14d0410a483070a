/**
 * Numbers in table cells. The decimal mark is a point or a comma, thousands may be grouped, and
 * words may stand for missing numbers.
 */

import { printDouble } from './double-text.js';

export const decimalMarks = ['.', ','] as const;
export type DecimalMark = (typeof decimalMarks)[number];

export interface NumberForm {
  readonly decimal: DecimalMark;
  /** Texts for a missing number, in lower case. */
  readonly nulls: ReadonlySet<string>;
}

/** Common texts for a missing number, in lower case. */
export const nullWords: readonly string[] = [
  ...['nan', '-nan', 'na', 'n/a', 'n.a.', '#n/a', '#nv', '#n/v', '<na>'],
  ...['null', 'none', 'nil', '(null)', '\\n', '-', '--', '---', '–', '—', '?'],
];

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const exponent = String.raw`(?:[eE][+-]?\d+)?`;

/** Groups of three digits, separated by the other mark, an apostrophe or a narrow space. */
const grouped = (marks: string): string => String.raw`[1-9]\d{0,2}(?:[${marks}]\d{3})+`;
const spaces = String.raw`'’\u00a0\u202f`;

const forms: Readonly<Record<DecimalMark, RegExp>> = {
  '.': new RegExp(
    String.raw`^[+-]?(?:(?:\d+|${grouped(`,${spaces}`)})(?:\.\d*)?|\.\d+)${exponent}$`,
  ),
  ',': new RegExp(String.raw`^[+-]?(?:(?:\d+|${grouped(`.${spaces}`)})(?:,\d*)?|,\d+)${exponent}$`),
};
const groupMarks: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /[,'’\u00a0\u202f]/g,
  ',': /[.'’\u00a0\u202f]/g,
};

export function isMissing(text: string, { nulls }: NumberForm): boolean {
  return text === '' || nulls.has(text.toLowerCase());
}

export function isNumber(text: string, decimal: DecimalMark): boolean {
  return forms[decimal].test(text);
}

/** The number as JSON, to the last bit. Null if the text is not a finite number. */
export function numberText(cell: string, decimal: DecimalMark): string | null {
  if (decimal === '.' && jsonNumber.test(cell)) return cell;
  const text = cell.trim();
  if (!forms[decimal].test(text)) return null;
  const plain = text.replace(groupMarks[decimal], '').replace(',', '.');
  if (jsonNumber.test(plain)) return plain;
  const value = Number(plain);
  return Number.isFinite(value) ? printDouble(value) : null;
}

/**
 * The decimal mark of most of these cells. `1,234` and `1.234` alone are ambiguous. They count as
 * fractions, `1,234` only unless commas separate the cells.
 */
export function markOf(cells: Iterable<string>, delimiter: string): DecimalMark {
  const counts = { point: 0, comma: 0, eitherPoint: 0, eitherComma: 0 };
  for (const cell of cells) {
    const [isPoint, isComma] = [isNumber(cell, '.'), isNumber(cell, ',')];
    if (isPoint && isComma) {
      if (cell.includes(',')) counts.eitherComma += 1;
      else if (cell.includes('.')) counts.eitherPoint += 1;
    } else if (isPoint) counts.point += 1;
    else if (isComma) counts.comma += 1;
  }
  if (counts.point !== counts.comma) return counts.comma > counts.point ? ',' : '.';
  const isComma = counts.eitherComma > counts.eitherPoint && counts.point === 0;
  return isComma && delimiter === ';' ? ',' : '.';
}
