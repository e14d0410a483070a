/** Guesses the unit of a time from its magnitude. The guess holds for the years 1973 to 5138. */

import type { TimestampUnit } from './timestamp-unit.js';

/** The smallest absolute number that counts as a time of the unit. */
const leasts: readonly (readonly [TimestampUnit, number])[] = [
  ['ns', 1e17],
  ['us', 1e14],
  ['ms', 1e11],
  ['s', 1e8],
];

/** Returns null for a number too small to tell. */
export function unitOfMagnitude(time: number): TimestampUnit | null {
  return leasts.find(([, least]) => Math.abs(time) >= least)?.[0] ?? null;
}

/** The warning for a stored time that would be near the present in another unit. */
export function unitWarning({ ts, unit }: { readonly ts: bigint; readonly unit: string }): string {
  return (
    `the time stored as ${String(ts)} looks as if it came in ${unit}, ` +
    'but was taken for another unit; see precision'
  );
}
