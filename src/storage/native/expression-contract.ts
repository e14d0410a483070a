/** Expressions over samples; part of `contract.ts`. */

import type { NativePackedTexts } from './filter-contract.js';
import type { NativeName } from './names.js';

/** A value for each id of the query: integers, floats (NaN is null), or 0 false, 1 null, 2 true. */
export interface NativeSeriesColumn {
  readonly values: BigInt64Array | Float64Array | Uint8Array;
  /** For integers: 1 means null. Otherwise empty. */
  readonly nulls: Uint8Array;
}

/** A group key. */
export type NativeGroupKey =
  | {
      readonly kind: Exclude<NativeName<'keys'>, 'expression' | 'column'>;
      /** The key of a label. */
      readonly label: string;
    }
  /**
   * `place`: an index into `keyValues`. With `texts`, the value is an integer that selects a text.
   */
  | {
      readonly kind: 'expression';
      readonly place: number;
      readonly texts: NativePackedTexts | null;
    }
  /** `place`: an index into `keyColumns`. */
  | { readonly kind: 'column'; readonly place: number };

/** A group key with one value per series. */
export interface NativeKeyColumn extends NativeSeriesColumn {
  /** Ascending by bytes. The values are indexes into them; null: the values are used directly. */
  readonly texts: NativePackedTexts | null;
}

/** Expressions over a sample. Each step computes a register from earlier ones. */
export interface NativeExpression {
  /** Four words per step: its index in `nativeNames.ops`, and its operands. */
  readonly steps: Uint32Array;
  readonly integers: BigInt64Array;
  readonly floats: Float64Array;
  /** Only if the series are given by id. */
  readonly columns: readonly NativeSeriesColumn[];
  /** The registers to return. */
  readonly outputs: Uint32Array;
}
