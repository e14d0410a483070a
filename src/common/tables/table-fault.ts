/** Why a table, or a row of it, cannot be taken. */

/** No row of the table can be taken; the message says why. */
export class TableFault extends Error {}

/** A row that cannot be a line; the message says why. */
export class RowFault extends Error {}

/** A text of the input that is named in a sentence. */
export function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** So many columns are named in a sentence. */
const namesMax = 10;

/** The names of columns, as far as they fit into a sentence. */
export function listedNames(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `"${shortened(name)}"`);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
