/**
 * A window function: takes the rows of one series by time, returns a value per row. Each has a file
 * below `window/`, and `window-functions.ts` is generated from the file names. A missing part does
 * not compile.
 *
 * Windows have no lowering. The addon reads a series in pieces, and no step of its programs sees
 * more than one sample.
 */

import type { Value } from '../../values/value.js';
import type { Documentation } from './documentation.js';

/** The reach of a window. */
export interface WindowExtent {
  /** 0 if the reach is in time, or if there is none. */
  readonly rows: number;
  /** Null if the reach is in rows, or if there is none. */
  readonly duration: bigint | null;
}

/** The second argument, constant for the query. */
export type ExtentParameter =
  /** `fallback`: the value if the argument is omitted. */
  | { readonly kind: 'rows'; readonly least: bigint; readonly fallback: number }
  | { readonly kind: 'rows or duration'; readonly least: bigint }
  | { readonly kind: 'duration' };

export interface WindowInput {
  /** The values of the argument, one per row. */
  readonly values: readonly Value[];
  readonly rows: readonly { readonly time: bigint }[];
  readonly extent: WindowExtent;
  readonly unitsPerSecond: number;
}

/** Returns the value at a row. The caller asks once per row, in order. */
type Steps = (at: number) => Value;

export interface WindowFunction<Name extends string = string> {
  readonly name: Name;
  readonly documentation: Documentation;
  readonly argument: 'number' | 'any';
  /** Null if there is no second argument. */
  readonly extent: ExtentParameter | null;
  /** `difference`: as `sum`, but a duration for timestamps. */
  readonly result: 'float' | 'sum' | 'difference' | 'first';
  readonly evaluate: (input: WindowInput) => Steps;
}

export function defineWindow<const Name extends string>(
  parts: WindowFunction<Name>,
): WindowFunction<Name> {
  return parts;
}
