/** Step queries, and the encoding of their numbers for the addon. */

import { nativeNames } from './native/names.js';
import { nativeStepFigures, nativeStepLimits } from './native/steps-contract.js';

import type { Milliseconds } from '../common/model/timestamp-unit.js';
import type { NativeSeriesFilter } from './native/filter-contract.js';
import type { NativeName } from './native/names.js';
import type {
  nativePrintFigures,
  NativeStepQuery,
  NativeStepRows,
} from './native/steps-contract.js';

export interface StepFold {
  readonly op: NativeName<'stepFolds'>;
  /** Groups by these labels, or by all others except the metric. */
  readonly isBy: boolean;
  readonly keys: readonly string[];
}

/** Values that fail this comparison are omitted. */
export interface StepComparison {
  readonly op: NativeName<'comparisons'>;
  readonly than: number;
}

/** Computed rows at start, start + step, … */
interface StepRows extends NativeStepRows {
  readonly rowCount: number;
  readonly start: Milliseconds;
  readonly step: Milliseconds;
  readonly count: number;
}

/** The members have the names of `nativeStepFigures`. */
export interface StepQuery extends Omit<NativeStepQuery, 'of' | 'keys'> {
  readonly of: NativeSeriesFilter | StepRows;
  readonly start: Milliseconds;
  readonly step: Milliseconds;
  readonly count: number;
  readonly window: Milliseconds;
  readonly offset: Milliseconds;
  readonly fn: NativeName<'stepFunctions'>;
  readonly fold: StepFold | null;
  /** Null for `samples` and computed rows. */
  readonly kept: StepComparison | null;
}

export type StepLimits = Readonly<Record<(typeof nativeStepLimits)[number], number>>;

type Print = Readonly<Record<(typeof nativePrintFigures)[number], boolean>>;

/** Rows of stored samples to print; an instant has one step. */
export interface StepAnswer extends StepQuery, Print {
  readonly of: NativeSeriesFilter;
  readonly limits: StepLimits;
}

/** The non-numeric parts of a query. */
export function toNativeQuery({ of, args, fold }: StepQuery): NativeStepQuery {
  return { of, args, keys: fold === null ? [] : fold.keys };
}

/** The limits and the numbers of several queries. */
export function figuresOf(queries: readonly StepQuery[], limits: StepLimits): Float64Array {
  const size = nativeStepLimits.length + queries.length * nativeStepFigures.length;
  const figures = new Float64Array(size);
  putLimits(figures, limits);
  for (const [at, query] of queries.entries()) {
    putQuery(figures, nativeStepLimits.length + at * nativeStepFigures.length, query);
  }
  return figures;
}

/** Writes the limits, the numbers of the query and the print options to the start of `figures`. */
export function putFigures(figures: Float64Array, answer: StepAnswer): void {
  putLimits(figures, answer.limits);
  putQuery(figures, nativeStepLimits.length, answer);
  const print = [Number(answer.isInstant), Number(answer.hidesMetadata)];
  figures.set(print, nativeStepLimits.length + nativeStepFigures.length);
}

function putLimits(figures: Float64Array, limits: StepLimits): void {
  const { series, samples, samplesBefore, cells, cellsBefore, timeoutMs } = limits;
  figures.set([series, samples, samplesBefore, cells, cellsBefore, timeoutMs]);
}

/** NaN encodes absent values. */
function putQuery(figures: Float64Array, at: number, query: StepQuery): void {
  const { of, start, step, count, window, offset, fold, kept } = query;
  const fn = nativeNames.stepFunctions.indexOf(query.fn);
  const folding = fold === null ? NaN : nativeNames.stepFolds.indexOf(fold.op);
  const keeping = kept === null ? NaN : nativeNames.comparisons.indexOf(kept.op);
  const isBy = Number(fold?.isBy ?? false);
  const than = kept?.than ?? NaN;
  figures.set([start, step, count, window, offset, fn, folding, isBy, keeping, than], at);
  const rows = 'rowCount' in of ? [of.rowCount, of.start, of.step, of.count] : noRows;
  figures.set(rows, at + kRowsAt);
}

const kRowsAt = nativeStepFigures.indexOf('rowCount');
const noRows = [NaN, NaN, NaN, NaN];
