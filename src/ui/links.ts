/** Addresses of other pages about the shown data. */

import { place } from './location.js';
import { filterOf } from './statements.js';
import { changed, placeOfPage, printPlace, valueIn } from './url.js';

/** The address of a metric's page, filtered to series with these labels. */
export function lookAddress(
  m: string,
  labels: Readonly<Record<string, string>> = {},
  t: string | null = valueIn(place.value, 't'),
): string {
  const w = Object.keys(labels).length === 0 ? null : filterOf(labels);
  return printPlace(changed(placeOfPage('look', place.value), { m, w, t }));
}
