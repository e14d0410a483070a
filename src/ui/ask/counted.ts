/** A count with its noun. */

import { printCount } from '../units.js';

/** `1 row`, `1,204 rows`. */
export function counted(count: number | bigint, what: 'row' | 'sample' | 'series'): string {
  const isPlain = BigInt(count) === 1n || what === 'series';
  return `${printCount(count)} ${what}${isPlain ? '' : 's'}`;
}
