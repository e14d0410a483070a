/**
 * What a query engine reads from: the narrow port below the language. Both engines share it; the
 * compiled one may add doors of its own behind the same selection.
 */

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { MathFunction } from '../../../storage/storage.js';
import type { DeletePlan, Selection } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { Guard } from '../../limits/guard.js';

/** Samples of one series, ts ascending without duplicates. Both arrays have the same length. */
export interface SampleColumns {
  readonly times: BigInt64Array;
  readonly values: Float64Array;
}

export interface SampleReader {
  /** The next batch, or null at the end. Never called again before the last call settled. */
  next(): Promise<SampleColumns | null>;
  /** What the reads so far took. Absent where nothing is counted. */
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
  /** The functions of every engine over this source; those of JavaScript where it has none. */
  readonly math?: MathFunction;
  /**
   * Every series that the selection takes, ascending by id. Empty when there is none. May stop,
   * with some of them, when the guard's query is over, in whose account their texts are.
   */
  select(selection: Selection, guard?: Guard): Promise<readonly SeriesInfo[]>;
  /** Samples with start ≤ ts ≤ end. */
  read(series: SeriesInfo, start: bigint, end: bigint): SampleReader;
  /** Stores samples as an ingest request does: all or nothing, durable when it resolves. */
  insert(
    name: string,
    labels: readonly (readonly [string, string])[],
    samples: readonly InsertedSample[],
  ): Promise<number>;
  /**
   * Removes the samples of the selection's series in the ranges, and resolves with how many series
   * the selection takes. Of more than the guard allows it removes nothing, and rejects with
   * `query_limit_exceeded`. Absent where the storage cannot.
   */
  remove?(plan: DeletePlan, guard: Guard): Promise<number>;
}

/** The series of a selection, for as long as the query lives. */
export function selectDuring(
  guard: Guard,
  source: SeriesSource,
  selection: Selection,
): Promise<readonly SeriesInfo[]> {
  const found = source.select(selection, guard);
  return guard.during(found, () => undefined);
}
