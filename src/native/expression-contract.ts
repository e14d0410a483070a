/** What `contract.ts` says of expressions over samples. */

import type { NativePackedTexts } from './filter-contract.js';

/**
 * The steps of an expression; native/query/expression.h says what each takes. Their codes are their
 * places here.
 */
export const nativeOps = [
  ...(['time', 'value', 'integer', 'float', 'boolean', 'null', 'column'] as const),
  ...(['negate', 'add', 'subtract', 'multiply', 'divide', 'modulo', 'absolute'] as const),
  ...(['sign', 'ceil', 'floor', 'truncate', 'root', 'math', 'round', 'roundTo'] as const),
  ...(['bucket', 'months'] as const),
  ...(['toFloat', 'toInteger', 'compare', 'isNull', 'and', 'or', 'not', 'select'] as const),
  ...(['greatest', 'least', 'coalesce'] as const),
] as const;

/** A value for each id of the query: integers, floats (NaN is null), or 0 false, 1 null, 2 true. */
export interface NativeSeriesColumn {
  readonly values: BigInt64Array | Float64Array | Uint8Array;
  /** Of integers: 1 is null. Else empty. */
  readonly nulls: Uint8Array;
}

/** A key of groups. */
export type NativeGroupKey =
  | {
      readonly kind: 'bucket' | 'metric' | 'series_id' | 'label';
      /** The key of a label. */
      readonly label: string;
    }
  /** `place`: which of `keyValues`, an integer where it chooses among texts. */
  | {
      readonly kind: 'expression';
      readonly place: number;
      readonly texts: NativePackedTexts | null;
    }
  /** `place`: which of `keyColumns`. */
  | { readonly kind: 'column'; readonly place: number };

/** A key of groups that each series has by itself. */
export interface NativeKeyColumn extends NativeSeriesColumn {
  /** Ascending by bytes. The values are places among them; null: they stand for themselves. */
  readonly texts: NativePackedTexts | null;
}

/** Expressions over a sample, as steps that each compute a register from earlier ones. */
export interface NativeExpression {
  /** Four words a step: its code and what it takes. */
  readonly steps: Uint32Array;
  readonly integers: BigInt64Array;
  readonly floats: Float64Array;
  /** Only with series that are named by id. */
  readonly columns: readonly NativeSeriesColumn[];
  /** The registers that are asked for. */
  readonly outputs: Uint32Array;
}
