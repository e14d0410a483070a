/**
 * What `contract.ts` says of series at steps of time, which PromQL computes with. All times are in
 * whole milliseconds, whatever the unit of the database: of samples that share a millisecond the
 * last counts.
 */

import type { NativePackedTexts, NativeSeriesFilter } from './filter-contract.js';

/**
 * Labels of rows, a column a key, the metric's as `__name__`; an empty label is none. Code 0: the
 * row has none, code i: texts[i - 1]. Keys and texts ascend by bytes.
 */
export interface NativeLabelTable {
  readonly keys: readonly string[];
  readonly texts: readonly NativePackedTexts[];
  readonly codes: readonly Uint32Array[];
}

/** Computed rows. */
export interface NativeStepRows {
  /** Row by row. Lent until the query ends. */
  readonly values: Float64Array;
  /** 1 for a value; null: everywhere. */
  readonly present: Uint8Array | null;
}

/**
 * What is a number of a query comes apart from it, in this order: to read properties takes longer.
 *
 * A function of the samples in windows, one value a series and step t = start, start + step, … At
 * t it has those with t - offset - window < ts <= t - offset. The step is above 0, whatever the
 * count.
 *
 * `fn` is a place in `nativeNames.stepFunctions`. `last` and `last_time` are what a selector takes:
 * the last sample, none where it is a stale marker. All others pass over stale markers. `samples`
 * gives all in the window of one step.
 *
 * `fold`, in `nativeNames.stepFolds`, has groups by the keys where `isBy` is 1, and where it is 0 by
 * all others but the metric. Values of rows, or of their folds, that do not compare with `than` as
 * `kept` says, in `nativeNames.comparisons`, are left out, but not of `samples` and computed rows.
 * Both are NaN where there is none.
 *
 * Rows that were computed are `rowCount` at `rowStart`, `rowStart` + `rowStep`, …; NaN: the samples
 * are stored ones.
 */
export const nativeStepFigures = [
  ...(['start', 'step', 'count', 'window', 'offset', 'fn'] as const),
  ...(['fold', 'isBy', 'kept', 'than'] as const),
  ...(['rowCount', 'rowStart', 'rowStep', 'rowSteps'] as const),
] as const;

/**
 * Of each query; infinity is none. `cells` are rows times steps, of all that is held at a time.
 * `…Before` count by what the same question read and holds already, without what is asked beside.
 */
export const nativeStepLimits = [
  'series',
  'samples',
  'samplesBefore',
  'cells',
  'cellsBefore',
  'timeoutMs',
] as const;

/** The non-numeric parts of a query. */
export interface NativeStepQuery {
  /** Stored samples with stale markers, or computed rows, which have no labels in the answer. */
  readonly of: NativeSeriesFilter | NativeStepRows;
  /** Parameters of the function in order; each has one value, or one per step. */
  readonly args: readonly Float64Array[];
  /** Parameters of the fold. */
  readonly keys: readonly string[];
}

/**
 * How rows are printed at once, 0 or 1 each: whether the only step is an instant, and whether
 * `nativeNames.metadataLabels` are left out.
 */
export const nativePrintFigures = ['isInstant', 'hidesMetadata'] as const;

/** Rows without any value are omitted; computed rows are all present, in order. */
export interface NativeStepTable {
  readonly rowCount: number;
  /** Number of read samples. */
  readonly rowsScanned: number;
  /** Null for computed rows. */
  readonly labels: NativeLabelTable | null;
  /** Row by row. */
  readonly values: Float64Array;
  /** 1 for a value; null: everywhere. */
  readonly present: Uint8Array | null;
  /** For `samples`: the end of each row in `values`, and the times; else null. */
  readonly ends: Uint32Array | null;
  readonly times: Float64Array | null;
}

/** Prints computed rows as JSON of Prometheus' API, without brackets. */
export interface NativeStepPrint {
  readonly rowCount: number;
  readonly labels: NativeLabelTable;
  readonly start: number;
  readonly step: number;
  readonly count: number;
  readonly values: Float64Array;
  readonly present: Uint8Array | null;
  readonly ends: Uint32Array | null;
  readonly times: Float64Array | null;
  /** The rows to print, in this order; each at most once. */
  readonly order: Uint32Array;
  /** `{"metric":…,"value":[t,"v"]}` of one step instead of `"values":[[t,"v"],…]`. */
  readonly isInstant: boolean;
}

export interface NativeStepText extends NativeStepPrint {
  readonly answer: 'steps';
}
