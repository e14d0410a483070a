/**
 * Everything the addon exports, and nothing else. `test/native/contract.test.ts` compares this list
 * with the built binary.
 * Two terms describe memory. Lent: bytes passed in belong to JavaScript and are read before the
 * call returns. Given: native code makes the memory and hands over its ownership.
 *
 * Errors thrown or rejected carry `code`, a name of the error catalogue.
 */

import type { DatabaseTime, Milliseconds } from '../../common/model/timestamp-unit.js';
import type {
  NativeAnnotation,
  NativeAnnotationFilter,
  NativeDeletion,
  NativeRequired,
} from './annotation-contract.js';
import type { NativeBucketOptions } from './bucket-contract.js';
import type { NativeExpression, NativeGroupKey, NativeKeyColumn } from './expression-contract.js';
import type {
  NativeDiscovery,
  NativeLabelQuestion,
  NativeRemoteRead,
  NativeSeriesFilter,
} from './filter-contract.js';
import type { NativeIngest, NativeIngestOptions } from './ingest-contract.js';
import type { NativeEngineLimits } from './limits-contract.js';
import type { NativeName, nativeNames } from './names.js';
import type { NativeSockets } from './sockets-contract.js';
import type {
  NativeBackup,
  NativeBucketBackup,
  NativeCollection,
  NativeCollectionRequest,
  NativePast,
  NativeFileWork,
  NativePreviewRequest,
  NativeRepair,
  NativeReportRequest,
  NativeInspection,
  NativeSnapshots,
  NativeTask,
  NativeUndelete,
  NativeVerification,
} from './report-contract.js';
import type { NativeQueryStats, NativeStats } from './stats-contract.js';
import type { NativeStores } from './store-contract.js';
import type { NativeStepQuery, NativeStepTable, NativeStepText } from './steps-contract.js';

/** Settings of an engine. Only the limits may change while it is open. */
export interface NativeEngineOptions extends NativeEngineLimits {
  readonly directory: string;
  readonly timestampUnit: NativeName<'units'>;
  readonly fsync: NativeName<'fsync'>;
  readonly fsyncIntervalMs: Milliseconds;
  /** 0 = no limit. */
  readonly maxSeries: number;
  readonly maxSeriesPerMetric: number;
  readonly allocator: NativeName<'allocators'>;
  readonly casMode: NativeName<'casModes'>;
  readonly metadataReadMode: NativeName<'metadataReadModes'>;
  /** Compacts automatically. A compaction task runs in either case. */
  readonly isCompacting: boolean;
  /** The number of segments of similar size that are merged into one; 2 to 64. */
  readonly compactionFactor: number;
  /** The number of threads that receive bodies, including this one and joining ones; at least 1. */
  readonly listeners: number;
  /** No byte of the directory changes. Other processes may read it, too, but none may write. */
  readonly isReadOnly: boolean;
  /** A past state to read; null = the latest state. */
  readonly past: NativePast | null;
  /** The engine of this process that holds the directory's lock and the past state, or null. */
  readonly beside: NativeEngine | null;
  /** The bucket that this engine claims and ships to; null without one. Only to write. */
  readonly bucket: NativeBucketOptions | null;
}

/** Selects series by id, by name with an exact label set (flat key, value, …), or by name alone. */
export type NativeSelector = (
  | { readonly seriesId: bigint }
  | { readonly name: string; readonly labels: readonly string[] | null }
) &
  NativeRequired;

/** A compressed body being decoded. Its memory counts for admission until close(). */
export interface NativeDecoder {
  /**
   * Takes the next bytes (lent, may be none). `keep`: only stores them and returns null. Otherwise
   * decodes into `piece`, of 128 KiB, and returns the size. It returns null if it needs more input,
   * 0 after much input without content. `last`: no more input follows.
   * Throws `invalid_argument` for a damaged or truncated body, and `payload_too_large` for a window
   * of more than 8 MiB or a text beyond max_body_bytes; both are final. Throws `closed`.
   */
  decode(chunk: Uint8Array, mode: NativeName<'decodeModes'>, piece: Uint8Array): number | null;
  /** Idempotent. */
  close(): void;
}

/** Every question whose answer is JSON, and the remote read, whose answer is binary. */
export type NativeQuestion =
  | NativeRange
  | NativeRemoteRead
  | NativeLabelQuestion
  | NativeDiscovery
  | NativeComparison
  | NativeAnnotationFilter
  | NativeVerification
  | NativeInspection
  | NativeSnapshots
  | NativeBackup
  | NativeBucketBackup
  | NativeTask
  | NativeUndelete
  | NativeRepair;

export interface NativeJsonReader {
  /** The next piece (about 256 KiB) of the answer, or null at the end. Given. */
  next(): Promise<ArrayBuffer | null>;
  /** Cancels; idempotent. */
  close(): void;
}

/**
 * Samples of several series. Part i, from ends[i - 1] (or 0) up to ends[i], has the series at index
 * series[i] of the request.
 */
export interface NativeColumnBatch {
  readonly series: Uint32Array;
  readonly ends: Uint32Array;
  readonly ts: BigInt64Array;
  readonly values: Float64Array;
}

/** The samples that a query reads. */
interface NativeRead {
  /** Ids, or a filter. Unknown ids have no samples. */
  readonly series: BigUint64Array | NativeSeriesFilter;
  /** Flat: start, end, start, end …; inclusive, disjoint, ascending. */
  readonly ranges: BigInt64Array;
}

/** Infinity means no limit. */
interface NativeQueryLimits {
  readonly series: number;
  readonly samples: number;
  readonly rows: number;
  readonly timeoutMs: number;
}

/** A condition on `value` in postfix order. Only comparisons use the constant. */
export interface NativeFilterStep {
  readonly op: NativeName<'filterSteps'>;
  readonly constant: number;
}

export interface NativeAggregate {
  readonly name: NativeName<'aggregates'>;
  /** The q of `percentile`, in 0…1. */
  readonly quantile: number;
  /** An index into the expressions; -1 = the value. */
  readonly argument: number;
}

/** Selects samples, and limits their number. */
interface NativeSampleRead extends NativeRead {
  readonly limits: NativeQueryLimits;
  readonly filter: readonly NativeFilterStep[];
  /** One boolean output, which must also be true. */
  readonly condition: NativeExpression | null;
  /** The expressions that other members refer to by index. */
  readonly expressions: NativeExpression | null;
}

/** Samples as stored, series by series in the given order. Only the ends of `ranges` count. */
export interface NativeColumnQuery extends NativeRead {
  readonly answer: 'columns';
}

/** One table: a row per group that has a sample, ascending by `order`, then by the other keys. */
export interface NativeGroupQuery extends NativeSampleRead {
  readonly answer: 'groups';
  /** The expressions that keys refer to by index. If present, a bucket is one of them. */
  readonly keyValues: NativeExpression | null;
  /** Only if the series are given by id. */
  readonly keyColumns: readonly NativeKeyColumn[];
  readonly keys: readonly NativeGroupKey[];
  readonly aggregates: readonly NativeAggregate[];
  /** Indexes of keys. Nulls are last. */
  readonly order: readonly number[];
  /**
   * `months`: if above 0, the calendar months of a bucket in UTC; width and origin are then
   * ignored. `most`: keeps only this many of the latest buckets, or if negative of the earliest; 0
   * = all.
   */
  readonly bucket: {
    readonly width: DatabaseTime;
    readonly origin: DatabaseTime;
    readonly months: number;
    readonly most: number;
  } | null;
}

/** Samples that pass the filter, by time and then by series id; `ends` stays empty. */
export interface NativeRowQuery extends NativeSampleRead {
  readonly answer: 'rows';
  /** Sorts by these expressions, nulls last, and then by ascending time. */
  readonly order: readonly { readonly place: number; readonly isDescending: boolean }[];
  /** Only for an order by time. */
  readonly isDescending: boolean;
  readonly offset: number;
  /** Infinity = all. */
  readonly limit: number;
  /** If several series are selected, reads nothing; `seriesSelected` has their number. */
  readonly isOfOneSeries: boolean;
}

/** A list from the index alone. */
export interface NativeListQuery {
  readonly answer: 'list';
  /** Unknown ids are ignored. */
  readonly series: BigUint64Array | NativeSeriesFilter;
  /** Series are ordered by id. The other lists have one column, ascending by bytes. */
  readonly list: NativeName<'lists'>;
  /** The label whose values are listed. */
  readonly labelKey: string;
}

/**
 * `place` is a column of a table or list. `time` and `value` belong to raw rows. `labels` is a text
 * that contains JSON; `object` is the JSON itself.
 */
export interface NativeTextColumn {
  readonly kind: NativeName<'textColumns'>;
  readonly place: number;
  /** The key of a label. */
  readonly label: string;
  /** Text before the value. */
  readonly before: string;
}

/** The rows of a query as text. A column query omits samples whose value is not finite. */
export interface NativeTextQuery {
  readonly of: NativeColumnQuery | NativeGroupQuery | NativeRowQuery | NativeListQuery;
  readonly columns: readonly NativeTextColumn[];
  readonly rowEnd: string;
  /** Text between two rows. */
  readonly between: string;
  /** True: texts are quoted as in CSV instead of JSON, and null is empty. */
  readonly isCsv: boolean;
  /** For groups: sorts by columns of the table. Nulls are last; equal rows keep their order. */
  readonly order: readonly { readonly place: number; readonly isDescending: boolean }[];
  /** For groups and lists. Raw rows are cut by their own query. */
  readonly offset: number;
  /** Infinity = all. */
  readonly limit: number;
}

/** Some rows in UTF-8. The text between rows is missing between two of these pieces. */
export interface NativeRowTexts {
  readonly text: Uint8Array<ArrayBuffer>;
  /** Free bytes of the buffer before the text, and as many after it, for the receiver. */
  readonly room: number;
  readonly rowCount: number;
  /** For columns: samples omitted since the last piece because their value is not finite. */
  readonly leftOutCount: number;
  /** True if no piece follows. If false, next() may still return null. */
  readonly isLast: boolean;
}

export type NativeQuery = NativeColumnQuery | NativeGroupQuery | NativeRowQuery;

/**
 * A column of a table. Times and counts are bigints, ids unsigned ones. Numbers have NaN for null.
 * Booleans are 0 false, 1 null, 2 true. Integers have null flags. Texts have the code 2^32 - 1 for
 * null.
 */
export type NativeTableColumn =
  | BigInt64Array
  | BigUint64Array
  | Float64Array
  | Uint8Array
  | { readonly integers: BigInt64Array; readonly nulls: Uint8Array }
  | { readonly texts: readonly string[]; readonly codes: Uint32Array };

/** The columns of the keys, followed by the columns of the aggregates. */
export interface NativeTable {
  readonly rowCount: number;
  readonly columns: readonly NativeTableColumn[];
}

export interface NativeQueryReader<Batch> {
  /**
   * The next batch, never empty: samples, the table of a group query, or about 256 KiB of text.
   * Null at the end. Given. The first call selects the series. Rejects with `series_not_found` (not
   * for columns and steps), `query_limit_exceeded`, `query_timeout`, `storage_corrupt`, `closed`.
   */
  next(): Promise<Batch | null>;
  /** Not while next() runs. Allowed after close(). */
  stats(): NativeQueryStats;
  /** Cancels; idempotent. */
  close(): void;
}

/** The read of a prepared query. */
export interface NativePreparedRead extends NativeRead {
  readonly limits: NativeQueryLimits;
}

/** A query whose text was parsed once. */
export interface NativePrepared {
  /**
   * Writes the numbers of `nativeShortFigures` into `room`, followed by the rows, and returns the
   * size of their text. Returns null if there are no rows, they do not fit, or the answer might
   * take a millisecond. Throws the errors with which a reader's next() rejects.
   */
  answer(read: NativePreparedRead, room: Uint8Array): number | null;
}

/** The samples of one series; both ends inclusive. */
interface NativeRange {
  readonly answer: 'range';
  readonly selector: NativeSelector;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
}

/** One aggregate over two windows; all ends inclusive. */
interface NativeComparison {
  readonly answer: 'comparison';
  readonly selector: NativeSelector;
  readonly aggregate: NativeName<'windowAggregates'>;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
  readonly baselineStart: DatabaseTime;
  readonly baselineEnd: DatabaseTime;
}

/** Removes every sample of these series in the ranges. Unknown ids are ignored. */
export interface NativeRemoval extends NativeRead {
  readonly change: 'removal';
  /** If more series are selected, nothing is removed. Infinity = no limit. */
  readonly seriesMax: number;
}

/** Every change that is logged, except samples. */
type NativeChange = NativeAnnotation | NativeDeletion | NativeRemoval;

export interface NativeEngine {
  /** Only for a past time: the commit that answers, and what it lacks or has in addition. */
  readonly note?: string;
  /**
   * A new request. Throws `invalid_argument`, `ingest_backpressure`, `storage_unavailable`,
   * `fenced`, `bucket_unavailable`, `closed`.
   */
  beginIngest(options: NativeIngestOptions): NativeIngest;
  /** Throws as beginIngest does. */
  beginDecoder(coding: NativeName<'bodyCodings'>): NativeDecoder;
  /**
   * Range: selects and pins all samples acknowledged before the call. A missing series reads as
   * `[]`. Throws `ambiguous_selector`.
   *
   * Discovery: series, metrics or label values, sorted by bytes (series by id), then cut. Sees
   * every series whose first sample was acknowledged before the call.
   *
   * Annotations: the current ones, by (start, id). Comparison: one piece; next() rejects with
   * `series_not_found`, `ambiguous_selector`, `storage_corrupt`. Remote read: made by the first
   * next(), which also rejects with `query_limit_exceeded`.
   *
   * Throws `closed`, and for a migration `invalid_configuration` if no commits are written.
   */
  openAnswer(question: NativeQuestion): NativeJsonReader;
  /**
   * Prints rows as JSON; a short answer comes at once. A reader must end or be closed before the
   * arrays of the question change. Throws `invalid_argument`, `closed`.
   */
  openAnswer(question: NativeStepText): ArrayBuffer | NativeJsonReader;
  /**
   * Reads stored samples and prints the rows. They come in the order of the table with one step,
   * otherwise by labels. `room` begins with the limits, the figures of the query and the print
   * figures. It is filled as by NativePrepared; the result is the size of the text. If rows have
   * equal labels or do not fit, the result is their table. If the read may take long, the result is
   * a reader of that table.
   */
  openAnswer(
    question: NativeStepQuery,
    room: Uint8Array,
  ): number | NativeStepTable | NativeQueryReader<NativeStepTable>;
  /**
   * Selects and pins only at the first next(), which sees all samples acknowledged before it.
   * Throws `closed`.
   */
  openQuery(query: NativeColumnQuery | NativeRowQuery): NativeQueryReader<NativeColumnBatch>;
  openQuery(query: NativeGroupQuery): NativeQueryReader<NativeTable>;
  openQuery(query: NativeTextQuery): NativeQueryReader<NativeRowTexts>;
  /**
   * One table per query, which may be empty. A short query gives its table at once, several of them
   * in parallel; any other gives a reader. Selects and pins, and throws the error of the first
   * query that fails, as its next() would. `figures` holds the limits, followed by the numbers of
   * each query.
   */
  openQuery(
    queries: readonly NativeStepQuery[],
    figures: Float64Array,
  ): (NativeStepTable | NativeQueryReader<NativeStepTable>)[];
  /** Prepares a query for other selections, ranges and limits. Throws `closed`. */
  prepareQuery(query: NativeTextQuery): NativePrepared;
  /** Replaces the limits: at once for memory, otherwise for requests that begin afterwards. */
  configure(limits: NativeEngineLimits): void;
  /**
   * Stores or deletes an annotation, and resolves with its JSON text, id included. Or removes
   * samples, also from the view of later calls, and resolves with the number of selected series.
   * The change is then as durable as samples. Rejects with `annotation_not_found`,
   * `storage_unavailable`, `fenced`, `bucket_unavailable`, `ingest_backpressure`,
   * `query_limit_exceeded`, `closed`. If a removal was partly done, its error says so.
   */
  change(change: NativeChange): Promise<string>;
  /** Writes all data in memory to segments and shrinks the WAL. */
  maintain(task: 'flush'): Promise<void>;
  /** Removes unreferenced files; a dry run only reports them. */
  maintain(task: 'collect', request: NativeCollectionRequest): Promise<NativeCollection>;
  /**
   * Keeps all data acknowledged before the call under a name, or frees the data that only this
   * snapshot keeps. Rejects with `snapshot_exists`, `snapshot_not_found`, `invalid_argument`, and
   * with `invalid_configuration` if commits do not name all segments.
   */
  maintain(task: 'createSnapshot' | 'deleteSnapshot', name: string): Promise<void>;
  /** Synchronous and cheap. */
  stats(): NativeStats;
  /**
   * For this thread: the bytes that wait for clients, and the answers cut since the last call.
   * Returns the bytes that may wait; 0 if closed.
   */
  holdUnread(bytes: number, cutCount: number): number;
  /** A number for joinEngine() on another JavaScript thread. It never changes. */
  share(): number;
  /**
   * Syncs the WAL without a flush, joins threads and releases the lock. A joined engine stays open
   * for its other threads. Idempotent; later calls of other methods throw `closed`. If the database
   * is read-only by then, rejects with `storage_unavailable`, although closed: some data may not be
   * on disk.
   */
  close(): Promise<void>;
}

export interface NativeAddon extends NativeSockets, NativeStores {
  /**
   * Opens or creates the directory and recovers. Rejects with `locked`, `unit_mismatch`,
   * `storage_corrupt`, `io`; for a past state also with `snapshot_not_found` and `state_not_found`;
   * with a bucket also with `bucket_unavailable` and `invalid_configuration`.
   */
  openEngine(options: NativeEngineOptions): Promise<NativeEngine>;
  /**
   * Joins an engine that another JavaScript thread has open, by the number of its share(). Throws
   * `closed` if there is none.
   */
  joinEngine(share: number): NativeEngine;
  /**
   * JSON lines. A report and a preview change no byte. A restore makes a database, one file per
   * next(). A repair reports its changes. Throws `invalid_argument` and, for a preview, the error
   * of a body that is refused as a whole.
   *
   * next() rejects with `locked`, `io`, `storage_corrupt`. A restore or repair also rejects with
   * `invalid_configuration`, `snapshot_not_found`, `storage_unavailable`.
   */
  openReport(
    request: NativeReportRequest | NativePreviewRequest | NativeFileWork,
  ): NativeJsonReader;
  /**
   * The kernel used on this machine, such as `avx512`; all error codes; and the words of the
   * addon's enumerations.
   */
  facts(): {
    readonly kernel: string;
    readonly statuses: readonly string[];
    readonly names: Readonly<Record<keyof typeof nativeNames, readonly string[]>>;
  };
  /**
   * Evaluates a function by its index in `nativeNames.math`, as expressions do. Only `pow` uses
   * `y`.
   */
  math(code: number, x: number, y: number): number;
  /**
   * Limits the kernel's unread data for TCP connections of this process with this local port, or
   * restores its default. Returns the number of connections; 0 if the system is not Linux.
   */
  narrowConnections(port: number, isNarrow: boolean): number;
  /** Detaches a given buffer, so that it is freed before the garbage collector runs. */
  readonly freeBuffer: (buffer: ArrayBuffer) => void;
}
