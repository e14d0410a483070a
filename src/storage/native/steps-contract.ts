/**
 * Series at time steps, for PromQL; part of `contract.ts`. All times are in whole milliseconds,
 * regardless of the database's unit. If samples share a millisecond, the last one counts.
 */

import type { Milliseconds } from '../../common/model/timestamp-unit.js';
import type { NativePackedTexts, NativeSeriesFilter } from './filter-contract.js';

/**
 * Labels of rows, one column per key. The metric is `__name__`; an empty label is absent. Code 0:
 * the row lacks the label; code i: texts[i - 1]. Keys and texts ascend by bytes.
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
 * The numbers of a query, in this order. They are passed apart from it, since reading properties is
 * slower.
 *
 * A query is a function of the samples in windows. It has one value per series and step t = start,
 * start + step, … The window of t is t - offset - window < ts <= t - offset. The step is above 0,
 * whatever the count.
 *
 * `fn` is an index into `nativeNames.stepFunctions`. `last` and `last_time` are for selectors: the
 * last sample, or none if it is a stale marker. All others skip stale markers. `samples` returns
 * all samples in the window of one step.
 *
 * `fold`, in `nativeNames.stepFolds`, groups by the keys if `isBy` is 1. If it is 0, it groups by
 * all other labels except the metric. `kept`, in `nativeNames.comparisons`, drops values of rows,
 * or of their folds, that fail the comparison with `than`. It does not apply to `samples` and
 * computed rows. `fold` and `kept` are NaN if absent.
 *
 * Computed rows are `rowCount` rows at `rowStart`, `rowStart` + `rowStep`, …; NaN: the query reads
 * stored samples.
 */
export const nativeStepFigures = [
  ...(['start', 'step', 'count', 'window', 'offset', 'fn'] as const),
  ...(['fold', 'isBy', 'kept', 'than'] as const),
  ...(['rowCount', 'rowStart', 'rowStep', 'rowSteps'] as const),
] as const;

/**
 * The limits of each query; infinity means none. `cells`: the most cells, rows times steps, held at
 * a time. `…Before`: the amounts that the same request has read or holds already, without the
 * queries of this call.
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
  /**
   * A filter of stored samples, stale markers included, or computed rows, whose answer has no
   * labels.
   */
  readonly of: NativeSeriesFilter | NativeStepRows;
  /** Parameters of the function in order; each has one value, or one per step. */
  readonly args: readonly Float64Array[];
  /** Parameters of the fold. */
  readonly keys: readonly string[];
}

/**
 * Print options, 0 or 1 each. `isInstant`: prints the only step as an instant. `hidesMetadata`:
 * omits `nativeNames.metadataLabels`.
 */
export const nativePrintFigures = ['isInstant', 'hidesMetadata'] as const;

/** Rows without any value are omitted. Computed rows are all present, in order. */
export interface NativeStepTable {
  readonly rowCount: number;
  /** The number of samples read. */
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
  readonly start: Milliseconds;
  readonly step: Milliseconds;
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
