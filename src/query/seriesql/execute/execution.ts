/** A query that runs: what an engine gives back, and what it counts. */

import type { Value } from '../../values/value.js';
import type { OutputColumn } from '../plan/plan.js';
import type { Operators } from './operators.js';

export type ResultRow = readonly Value[];

/** How rows are laid out as text. */
export interface RowLayout {
  /** Stands before each of the cells. */
  readonly before: readonly string[];
  readonly rowEnd: string;
  /** Rows. */
  readonly between: string;
  /** Texts are quoted as in CSV instead of JSON, and null is nothing. */
  readonly isCsv: boolean;
}

/** Some rows in UTF-8. */
export interface RowTexts {
  readonly text: Uint8Array;
  /** Bytes of its buffer before the text, and as many after it, for what is added to it. */
  readonly room: number;
  readonly rowCount: number;
}

export interface Execution {
  readonly columns: readonly OutputColumn[];
  /** Rows in order, in batches that are not empty. Throws what ends the query. */
  readonly rows: AsyncIterable<readonly ResultRow[]>;
  /** In place of `rows`, which are empty then: the rows as the text that was asked for. */
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
  /** Whether the selection names one series by id or by all its labels. */
  isExact: boolean;
  /** Of performance.now(): when the series were selected and reading begins. */
  plannedAt: number | null;
  /** Of `EXPLAIN ANALYZE` alone. */
  operators: Operators | null;
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
