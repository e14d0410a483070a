/** A running query: its results and its counters. */

import type { Value } from '../../values/value.js';
import type { OutputColumn } from '../plan/plan.js';
import type { OperatorCounters } from './operators.js';

export type ResultRow = readonly Value[];

/** The layout of rows as text. */
export interface RowLayout {
  /** Text before each cell of a row. */
  readonly before: readonly string[];
  readonly rowEnd: string;
  /** Text between two rows. */
  readonly between: string;
  /** True: texts are quoted as in CSV instead of JSON, and null is empty. */
  readonly isCsv: boolean;
}

/** Some rows in UTF-8. */
export interface RowTexts {
  readonly text: Uint8Array;
  /** Free bytes of the buffer before the text, and as many after it, for the caller's additions. */
  readonly room: number;
  readonly rowCount: number;
}

export interface Execution {
  readonly columns: readonly OutputColumn[];
  /** Rows in order, in non-empty batches. Throws the error that ends the query. */
  readonly rows: AsyncIterable<readonly ResultRow[]>;
  /** The rows as text in the requested layout. If present, `rows` is empty. */
  readonly texts?: AsyncIterable<RowTexts>;
}

/** Counters of one query. Engines write them while they run. */
export interface QueryCounters {
  rowsEmitted: number;
  rowsScanned: number;
  seriesScanned: number;
  chunksScanned: number;
  chunksSkipped: number;
  bytesRead: number;
  selectedSeriesCount: number;
  /** True if the selection names one series by id or by all its labels. */
  isExact: boolean;
  /** performance.now() when the series are selected and reading begins; null before. */
  plannedAt: number | null;
  /** Null unless the statement is `EXPLAIN ANALYZE`. */
  operators: OperatorCounters | null;
}

export function newCounters(): QueryCounters {
  return {
    rowsEmitted: 0,
    rowsScanned: 0,
    seriesScanned: 0,
    chunksScanned: 0,
    chunksSkipped: 0,
    bytesRead: 0,
    selectedSeriesCount: 0,
    isExact: false,
    plannedAt: null,
    operators: null,
  };
}

export async function* oneBatch(rows: readonly ResultRow[]): AsyncGenerator<readonly ResultRow[]> {
  if (rows.length > 0) yield await Promise.resolve(rows);
}
