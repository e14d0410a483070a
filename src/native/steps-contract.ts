/**
 * What `contract.ts` says of series at steps of time, which PromQL computes with. All times are in
 * whole milliseconds, whatever the unit of the database: of samples that share a millisecond the
 * last counts.
 */

import type { NativePackedTexts, NativeSeriesFilter } from './filter-contract.js';
import type { NativeName } from './names.js';

/**
 * Labels of rows, a column a key, the metric's as `__name__`; an empty label is none. Code 0: the
 * row has none, code i: texts[i - 1]. Keys and texts ascend by bytes.
 */
export interface NativeLabelTable {
  readonly keys: readonly string[];
  readonly texts: readonly NativePackedTexts[];
  readonly codes: readonly Uint32Array[];
}

/** Rows that were computed at start, start + step, … */
interface NativeStepRows {
  readonly rowCount: number;
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** Row by row. Lent until the query ended. */
  readonly values: Float64Array;
  /** 1 where there is a value; null: everywhere. */
  readonly present: Uint8Array | null;
}

export interface NativeStepFold {
  readonly op: NativeName<'stepFolds'>;
  /** Groups by these labels, or by all others but the metric. */
  readonly isBy: boolean;
  readonly keys: readonly string[];
}

/** Values that do not compare so are left out. */
export interface NativeStepComparison {
  readonly op: NativeName<'comparisons'>;
  readonly than: number;
}

/**
 * A function of the samples in windows, one value a series and step t = start, start + step, … At
 * t it has those with t - offset - window < ts <= t - offset.
 */
export interface NativeStepQuery {
  /** Stored samples with stale markers, or computed rows, which have no labels in the answer. */
  readonly of: NativeSeriesFilter | NativeStepRows;
  readonly start: number;
  /** Above 0, whatever the count. */
  readonly step: number;
  readonly count: number;
  readonly window: number;
  readonly offset: number;
  /**
   * `last` and `last_time` are what a selector takes: the last sample, none where it is a stale
   * marker. All others pass over stale markers. `samples` gives all in the window of one step.
   */
  readonly fn: NativeName<'stepFunctions'>;
  /** Parameters of the function in their order; each has one value, or one for each step. */
  readonly args: readonly Float64Array[];
  readonly fold: NativeStepFold | null;
  /** Of the rows, or of their folds; null for `samples` and computed rows. */
  readonly kept: NativeStepComparison | null;
}

/**
 * Of each query; infinity is none. `cells` are rows times steps, of all that is held at a time.
 * `…Before` count by what the same question read and holds already, without what is asked beside.
 */
export interface NativeStepLimits {
  readonly series: number;
  readonly samples: number;
  readonly samplesBefore: number;
  readonly cells: number;
  readonly cellsBefore: number;
  readonly timeoutMs: number;
}

/** Rows of stored samples that are printed at once; one step where `isInstant`. */
export interface NativeStepAnswer extends Omit<NativeStepQuery, 'of'> {
  readonly answer: 'stepRows';
  readonly of: NativeSeriesFilter;
  readonly limits: NativeStepLimits;
  readonly isInstant: boolean;
  /** Keys of labels that are not printed. */
  readonly hidden: readonly string[];
}

/** Rows without any value are left out; those of computed rows are all there, in their order. */
export interface NativeStepTable {
  readonly rowCount: number;
  /** Samples that were read. */
  readonly rowsScanned: number;
  /** Null for computed rows. */
  readonly labels: NativeLabelTable | null;
  /** Row by row. */
  readonly values: Float64Array;
  /** 1 where there is a value; null: everywhere. */
  readonly present: Uint8Array | null;
  /** Of `samples`: where those of each row end in `values`, and when each was; else null. */
  readonly ends: Uint32Array | null;
  readonly times: Float64Array | null;
}

/** Rows as JSON of Prometheus' API, for what is computed; not between brackets. */
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
  /** The rows that are printed, in this order; each once at most. */
  readonly order: Uint32Array;
  /** `{"metric":…,"value":[t,"v"]}` of one step instead of `"values":[[t,"v"],…]`. */
  readonly isInstant: boolean;
}

export interface NativeStepText extends NativeStepPrint {
  readonly answer: 'steps';
}
