/** Addresses of other pages about what this one shows. */

import { place } from './location.js';
import { filterOf } from './statements.js';
import { changed, placeOfPage, printPlace, valueIn } from './url.js';

/** Where a metric is looked at, or those of its series with these labels. */
export function lookAddress(
  m: string,
  labels: Readonly<Record<string, string>> = {},
  t: string | null = valueIn(place.value, 't'),
): string {
  const w = Object.keys(labels).length === 0 ? null : filterOf(labels);
  return printPlace(changed(placeOfPage('look', place.value), { m, w, t }));
}
