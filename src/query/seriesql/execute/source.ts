/**
 * The data source of the query engines: the narrow port below the language. Both engines share it;
 * the compiled one may add functions of its own behind the same selection.
 */

import type { DatabaseTime, TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { MathFunction } from '../../../storage/storage.js';
import type { DeletePlan, PlannedSelection } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Guard } from '../../limits/guard.js';

/**
 * Samples of one series, by ascending time, without duplicates. Both arrays have the same length.
 */
export interface SampleColumns {
  readonly times: BigInt64Array;
  readonly values: Float64Array;
}

export interface BatchReader {
  /** The next batch, or null at the end. The caller waits for one call before the next. */
  next(): Promise<SampleColumns | null>;
  /** Counters of the reads so far. Absent if nothing is counted. */
  stats?(): ReadCounts;
  /** Idempotent. */
  close(): void;
}

interface ReadCounts {
  readonly chunksScanned: number;
  readonly chunksSkipped: number;
  readonly bytesRead: number;
}

export interface InsertedSample {
  readonly time: bigint;
  readonly value: number;
}

export interface SeriesSource {
  /** The unit of every time. */
  readonly unit: TimestampUnit;
  /** The math functions of every engine over this source. The default is JavaScript's. */
  readonly math?: MathFunction;
  /**
   * Every series of the selection, ascending by id; may be empty. The texts are charged to the
   * guard's account. If the guard's query ends, the list may be incomplete.
   */
  select(selection: PlannedSelection, guard?: Guard): Promise<readonly SeriesInfo[]>;
  /** Samples with start ≤ ts ≤ end. */
  read(series: SeriesInfo, start: DatabaseTime, end: DatabaseTime): BatchReader;
  /** Stores samples as an ingest request does: all or nothing, durable when it resolves. */
  insert(
    name: string,
    labels: readonly (readonly [string, string])[],
    samples: readonly InsertedSample[],
  ): Promise<number>;
  /**
   * Removes the samples of the selected series in the ranges; resolves with the number of selected
   * series. If the guard allows fewer series, it removes nothing and rejects with
   * `query_limit_exceeded`. Absent if the storage cannot remove samples.
   */
  remove?(plan: DeletePlan, guard: Guard): Promise<number>;
}

/** The series of a selection. Rejects if the guard's query ends first. */
export function selectDuring(
  guard: Guard,
  source: SeriesSource,
  selection: PlannedSelection,
): Promise<readonly SeriesInfo[]> {
  const found = source.select(selection, guard);
  return guard.during(found, () => undefined);
}
