/**
 * What a window is: the rows of one series by time in, a value for each of them out. There is one
 * file for each below `window/`, and `window-functions.ts` is made from their names; what is
 * forgotten does not compile. A window has no lowering: the addon reads a series in pieces, and no
 * step of its programs sees more than one sample.
 */

import type { Value } from '../../values/value.js';
import type { Documentation } from './documentation.js';

/** How far a window reaches. */
export interface Extent {
  /** 0 where it is counted in time, or not at all. */
  readonly rows: number;
  /** Null where it is counted in rows, or not at all. */
  readonly duration: bigint | null;
}

/** The second argument, fixed when the query is read. */
export type ExtentParameter =
  /** `fallback` is what it is when it is left out. */
  | { readonly kind: 'rows'; readonly least: bigint; readonly fallback: number }
  | { readonly kind: 'rows or duration'; readonly least: bigint }
  | { readonly kind: 'duration' };

export interface WindowInput {
  /** Of the argument, one for each row. */
  readonly values: readonly Value[];
  readonly rows: readonly { readonly time: bigint }[];
  readonly extent: Extent;
  readonly unitsPerSecond: number;
}

/** Gives the value at each place; asked from the first on, of each once. */
type Steps = (at: number) => Value;

export interface WindowFunction<Name extends string = string> {
  readonly name: Name;
  readonly documentation: Documentation;
  readonly argument: 'number' | 'any';
  /** Null: there is no second argument. */
  readonly extent: ExtentParameter | null;
  /** `difference`: as `sum`, but of timestamps a duration. */
  readonly result: 'float' | 'sum' | 'difference' | 'first';
  readonly evaluate: (input: WindowInput) => Steps;
}

export function defineWindow<const Name extends string>(
  parts: WindowFunction<Name>,
): WindowFunction<Name> {
  return parts;
}
