/** Unknown parameters and members: refused, or ignored with a warning. */

import { AppError } from '../../common/errors/app-error.js';
import { didYouMean } from '../../common/model/nearest.js';
import { elided, visible } from '../../common/model/visible-text.js';

/** Receives warnings for the client of a request that is answered. */
export interface Warned {
  warn(text: string): void;
}

/** The most unknown names that are examined per request. */
const kLookedMax = 16;
/** Longer names are cut. */
const kShownMax = 64;

/**
 * Refuses unknown names where a misspelt filter would select everything. Throws `unknown_field`.
 */
export function refuseUnknown(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const all = known.length === 0 ? 'this route has none' : `there are ${known.join(', ')}`;
    const hint = didYouMean(name, known) ?? all;
    throw new AppError('unknown_field', `${shown(name)} is not known; ${hint}`);
  }
}

/** Warns of unknown members of a JSON body. */
export function tellUnknown(
  names: Iterable<string>,
  known: readonly string[],
  warned: Warned,
): void {
  for (const name of fewUnknown(names, known)) {
    const hint = didYouMean(name, known);
    const tail = hint === undefined ? '' : `; ${hint}`;
    warned.warn(`${shown(name)} is not known and was ignored${tail}`);
  }
}

/**
 * Warns of misspelt parameters. Clients add parameters of their own, so only those near a known
 * name count.
 */
export function tellMisspelt(
  names: Iterable<string>,
  known: readonly string[],
  { warned, hintOf }: { readonly warned: Warned; readonly hintOf?: (name: string) => string },
): void {
  for (const name of fewUnknown(names, known)) {
    const hint = didYouMean(name, known) ?? hintOf?.(shown(name));
    if (hint !== undefined) warned.warn(`${shown(name)} is not known and was ignored; ${hint}`);
  }
}

function fewUnknown(names: Iterable<string>, known: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of names) {
    if (known.includes(name)) continue;
    found.push(name);
    if (found.length === kLookedMax) break;
  }
  return found;
}

function shown(name: string): string {
  return visible(elided(name, kShownMax));
}
