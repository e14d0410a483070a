/** Which unit a time most likely counts in, by how large it is: the years 1973 to 5138 tell. */

import type { TimestampUnit } from './timestamp-unit.js';

/** From the least number on that is taken for a time of the unit. */
const leasts: readonly (readonly [TimestampUnit, number])[] = [
  ['ns', 1e17],
  ['us', 1e14],
  ['ms', 1e11],
  ['s', 1e8],
];

/** Null for a number so small that it tells nothing. */
export function unitOfMagnitude(time: number): TimestampUnit | null {
  return leasts.find(([, least]) => Math.abs(time) >= least)?.[0] ?? null;
}

/** What is said of a time that was stored, and would be near in another unit. */
export function unitWarning({ ts, unit }: { readonly ts: bigint; readonly unit: string }): string {
  return (
    `the time stored as ${String(ts)} looks as if it came in ${unit}, ` +
    'but was taken for another unit; see precision'
  );
}
