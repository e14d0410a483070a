/** Errors of a table or of one of its rows. */

import { elided } from '../model/visible-text.js';

/** The whole table is unusable. The message says why. */
export class TableFault extends Error {}

/** One row is unusable. The message says why. */
export class RowFault extends Error {}

/** Shortens a text of the input to 100 characters, for messages. */
export function shortened(text: string): string {
  return elided(text, 100);
}

/** The most column names in a message. */
const namesMax = 10;

/** The names of columns for a message, at most `namesMax`. */
export function listedNames(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `"${shortened(name)}"`);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
