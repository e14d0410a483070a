/** Fits cells to a screen: a cell that is too long for its column is cut and ends with `…`. */

import stringWidth from 'string-width';

interface Fitted {
  readonly isNumber?: boolean;
}

/** The minimum width of a cut column, so that it stays readable. */
export const kColumnMin = 8;
/** Blanks between two columns. */
export const kGap = 2;

/**
 * Fits rows, including the head, to the width of the screen. The widest columns are cut first.
 * Numbers are never cut, since the rest would be another number. A lone column is not cut either,
 * because wrapped lines cannot break its alignment.
 */
export function fitted(
  columns: readonly Fitted[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  if (columns.length === 1) return rows;
  const widths = columnWidths(columns, rows);
  const texts = widths.filter((_, at) => columns[at]?.isNumber !== true);
  const numbers = widths.filter((_, at) => columns[at]?.isNumber === true);
  const room = width - sum(numbers) - kGap * Math.max(0, columns.length - 1);
  if (sum(texts) <= room) return rows;
  const most = mostWithin(texts, room);
  return rows.map((row) =>
    row.map((cell, at) => (columns[at]?.isNumber === true ? cell : cut(cell, most))),
  );
}

/** The widest cell of each column. */
export function columnWidths(
  columns: readonly Fitted[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  return columns.map((_, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), 0),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The maximum width of a column, so that all columns together fit the room. */
function mostWithin(widths: readonly number[], room: number): number {
  let left = room;
  const ascending = [...widths].sort((one, other) => one - other);
  for (const [at, width] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (width > share) return Math.max(kColumnMin, share);
    left -= width;
  }
  return Infinity;
}

/** Widths of texts that are not ASCII: tables repeat them, and measuring takes microseconds. */
const widths = new Map<string, number>();
const kWidthsMax = 10_000;

/** Columns of the terminal that a text takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (widths.size >= kWidthsMax) widths.clear();
  const width = stringWidth(text);
  widths.set(text, width);
  return width;
}

/** What of a text fits. */
export function cut(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let left = most - 1;
  const kept: string[] = [];
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept.push(character);
  }
  return `${kept.join('').trimEnd()}…`;
}
