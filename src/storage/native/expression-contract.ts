/** What `contract.ts` says of expressions over samples. */

import type { NativePackedTexts } from './filter-contract.js';
import type { NativeName } from './names.js';

/** A value for each id of the query: integers, floats (NaN is null), or 0 false, 1 null, 2 true. */
export interface NativeSeriesColumn {
  readonly values: BigInt64Array | Float64Array | Uint8Array;
  /** Of integers: 1 is null. Else empty. */
  readonly nulls: Uint8Array;
}

/** A key of groups. */
export type NativeGroupKey =
  | {
      readonly kind: Exclude<NativeName<'keys'>, 'expression' | 'column'>;
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
  /** Four words a step: its place in `nativeNames.ops` and what it takes. */
  readonly steps: Uint32Array;
  readonly integers: BigInt64Array;
  readonly floats: Float64Array;
  /** Only with series that are named by id. */
  readonly columns: readonly NativeSeriesColumn[];
  /** The registers that are asked for. */
  readonly outputs: Uint32Array;
}
