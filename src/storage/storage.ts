/** The port through which everything else sees the database. native-storage.ts implements it. */

import type {
  NativeAggregate,
  NativeFilterStep,
  NativeGroupKey,
  NativeGroupQuery,
  NativeRowQuery,
  NativeTable,
  NativeTableColumn,
} from '../native/contract.js';

import type { Aggregate } from '../model/aggregate.js';

export type TimestampUnit = 's' | 'ms' | 'us' | 'ns';

export interface IngestOptions {
  readonly precision: TimestampUnit;
  /** Store the good lines and report the bad ones, instead of refusing the whole request. */
  readonly isLenient: boolean;
}

export interface IngestReport {
  /** Samples stored. */
  readonly ingested: number;
  readonly rejected: number;
  /** The first 10 rejected lines, 1-based; lenient requests only. */
  readonly errors: readonly {
    readonly line: number;
    readonly code: string;
    readonly error: string;
  }[];
}

/** One ingest request in progress. Nothing is stored before commit() resolves. */
export interface IngestRequest {
  /** `chunk` is lent: it is read before the call returns. Throws the first error of the body. */
  write(chunk: Uint8Array): void;
  /** Resolves when the samples are as durable as the fsync policy promises, and visible. */
  commit(): Promise<IngestReport>;
  abort(): void;
}

export type Selector =
  | { readonly seriesId: bigint }
  | { readonly name: string; readonly labels: readonly (readonly [string, string])[] | null };

/** One aggregate of one series over two windows, all ends inclusive. */
export interface Comparison {
  readonly selector: Selector;
  readonly aggregate: Aggregate;
  readonly start: bigint;
  readonly end: bigint;
  readonly baselineStart: bigint;
  readonly baselineEnd: bigint;
}

/** A zstd body being decoded. */
export interface ZstdBody {
  /**
   * Takes the next bytes (lent, may be none) and gives the next decoded piece, or null when it
   * needs more. With `isLast`, null is the end. Throws AppError `invalid_encoding`.
   */
  decode(chunk: Uint8Array, isLast: boolean): Uint8Array | null;
  close(): void;
}

/** What a series must have under `key`. */
export interface LabelTerm {
  readonly key: string;
  readonly values: readonly string[];
  /** Any value but these. */
  readonly isNegated: boolean;
  /** Series without the key match too. */
  readonly acceptsMissing: boolean;
}

export interface SeriesFilter {
  /** Names that begin so; counts before `names`. */
  readonly namePrefix: string | null;
  /** One of these names; null = any. */
  readonly names: readonly string[] | null;
  /** All of them hold, or one of them with `isAny`; none match everything. */
  readonly terms: readonly LabelTerm[];
  readonly isAny: boolean;
}

/** A question about what there is. Answers are JSON texts, as the API gives them. */
export interface Discovery {
  readonly answer: 'seriesIds' | 'series' | 'metrics' | 'health' | 'labelValues' | 'attributes';
  readonly filter: SeriesFilter;
  /** For `labelValues` only: the key, and how the values begin. */
  readonly labelKey: string;
  readonly valuePrefix: string;
  /** Infinity = all. */
  readonly limit: number;
  /** For `health` only: series whose last ts is below are inactive. */
  readonly inactiveBefore: bigint | null;
}

export interface NewAnnotation {
  readonly kind: string;
  readonly title: string;
  readonly message: string | null;
  readonly metric: string | null;
  readonly labels: readonly (readonly [string, string])[];
  readonly start: bigint;
  /** Not before `start`. */
  readonly end: bigint;
}

/** Which annotations; null does not filter. All ends inclusive. */
export interface AnnotationFilter {
  readonly start: bigint;
  readonly end: bigint;
  readonly kind: string | null;
  readonly metric: string | null;
  /** All of these, or with `isAnyLabel` one of them; none match everything. */
  readonly labels: readonly (readonly [string, string])[];
  readonly isAnyLabel: boolean;
  readonly limit: number | null;
}

/** A stream of bytes that form one JSON text. */
export interface ByteStream {
  /** The next piece, or null at the end. Never called again before the last call settled. */
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/**
 * Samples of several series. Part i, from ends[i - 1] (or 0) up to ends[i], is of the series at
 * place series[i] of the list that was asked for.
 */
export interface ColumnBatch {
  readonly series: Uint32Array;
  readonly ends: Uint32Array;
  readonly ts: BigInt64Array;
  readonly values: Float64Array;
}

/** What a read of columns took so far. */
export interface ReadStats {
  readonly seriesSelected: number;
  /** Of the lone series that was selected, else 0. */
  readonly labelCount: number;
  readonly seriesScanned: number;
  readonly rowsScanned: number;
  readonly chunksScanned: number;
  readonly chunksSkipped: number;
  readonly bytesRead: number;
}

/** Reads the batches of a query. */
export interface BatchStream<Batch> {
  /** The next batch, never empty, or null at the end; one call at a time. */
  next(): Promise<Batch | null>;
  /** Not while next() runs. Also after close(). */
  stats(): ReadStats;
  /** Ends a running next() early; idempotent. */
  close(): void;
}

export interface StageTimes {
  /** Upper bounds of the buckets in seconds; each stage has one more, for what is longer. */
  readonly bounds: readonly number[];
  readonly stages: readonly {
    readonly stage: string;
    readonly counts: Float64Array;
    /** Seconds. */
    readonly sum: number;
  }[];
}

/** What may change while the storage is open. Sizes in bytes, times in milliseconds. */
export interface StorageLimits {
  readonly memtableMaxBytes: number;
  readonly flushIntervalMs: number;
  readonly memoryLimitBytes: number;
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
  /** In the database's unit; -1n is off. */
  readonly maxFutureSkew: bigint;
}

/** Counts are of blocks, but for `size`, which is bytes, and `slabs`. */
export interface PoolClass {
  readonly size: number;
  readonly allocations: number;
  readonly in_use: number;
  readonly high_water: number;
  readonly refills: number;
  readonly slabs: number;
}

export type ColumnStream = BatchStream<ColumnBatch>;

/** What the engine computes itself: groups with their aggregates, or rows that pass a filter. */
export type GroupQuery = NativeGroupQuery;
export type RowQuery = NativeRowQuery;
export type FilterStep = NativeFilterStep;
export type GroupKey = NativeGroupKey;
export type GroupAggregate = NativeAggregate;
export type Table = NativeTable;
export type TableColumn = NativeTableColumn;

export interface Storage {
  /** Which vector kernels this machine runs, for example `avx512`. */
  readonly kernel: string;
  beginIngest(options: IngestOptions): IngestRequest;
  /** Throws as beginIngest does. Close it, or its memory stays counted. */
  beginZstd(): ZstdBody;
  /** Both ends inclusive. Throws AppError `ambiguous_selector`. */
  openRange(selector: Selector, start: bigint, end: bigint): ByteStream;
  /** Sees every series whose first sample was acknowledged before. */
  openDiscovery(discovery: Discovery): ByteStream;
  /**
   * The samples of the series, series by series in this order, each ascending in time; both ends
   * inclusive. An unknown id has none. Throws AppError `storage_corrupt`.
   */
  openScan(seriesIds: BigUint64Array, start: bigint, end: bigint): ColumnStream;
  /** One table. Throws AppError `series_not_found`, `query_limit_exceeded`, `storage_corrupt`. */
  openGroups(query: GroupQuery): BatchStream<Table>;
  /** Throws as openGroups does. */
  openRows(query: RowQuery): ColumnStream;
  /**
   * Resolves with the JSON text of the answer. Rejects with `series_not_found`,
   * `ambiguous_selector`, `storage_corrupt`.
   */
  compare(comparison: Comparison): Promise<string>;
  /** For requests that begin afterwards; the limit of memory at once. */
  configure(limits: StorageLimits): void;
  /** Resolves with the record's JSON text when it is as durable as samples. */
  annotate(annotation: NewAnnotation): Promise<string>;
  /**
   * Removes every sample of these series with start ≤ ts ≤ end; unknown ids are passed over.
   * Resolves when that is seen by all and as durable as samples. REQUIRES: start ≤ end.
   */
  remove(seriesIds: BigUint64Array, start: bigint, end: bigint): Promise<void>;
  /** The JSON array of records, by (start, id). */
  openAnnotations(filter: AnnotationFilter): ByteStream;
  flush(): Promise<void>;
  /** Counters and gauges under the specification's `runtime` names, and more. */
  stats(): Readonly<Record<string, number>>;
  /** How long each stage of the work took. */
  stageTimes(): StageTimes;
  /** The pool of small blocks, a row a size; null while the system serves them. */
  poolClasses(): readonly PoolClass[] | null;
  /** Why the database is degraded; empty when it is well. */
  degradedReasons(): readonly string[];
  close(): Promise<void>;
}
