/**
 * Everything the addon exports, and nothing else. `test/native/contract.test.ts` holds
 * this list against the built binary.
 *
 * Memory has two words. Lent: bytes passed in belong to JavaScript and are read before the call
 * returns. Given: native makes it and forgets it.
 * Errors thrown or rejected carry `code`, a name of the error catalogue.
 */

import type {
  NativeAnnotation,
  NativeAnnotationFilter,
  NativeDeletion,
  NativeRequired,
} from './annotation-contract.js';
import type { NativeExpression, NativeGroupKey, NativeKeyColumn } from './expression-contract.js';
import type {
  NativeDiscovery,
  NativeLabelQuestion,
  NativeRemoteRead,
  NativeSeriesFilter,
} from './filter-contract.js';
import type { NativeIngest, NativeIngestOptions } from './ingest-contract.js';
import type { NativeName, nativeNames } from './names.js';
import type {
  NativeBackup,
  NativeCollection,
  NativeCollectionRequest,
  NativePast,
  NativeFileWork,
  NativeRepair,
  NativeReportRequest,
  NativeInspection,
  NativeSnapshots,
  NativeTask,
  NativeUndelete,
  NativeVerification,
} from './report-contract.js';
import type { NativeRetentionRule } from './retention-contract.js';
import type { NativeQueryStats, NativeStats } from './stats-contract.js';
import type { NativeStepQuery, NativeStepTable, NativeStepText } from './steps-contract.js';

/** What may change while an engine is open. Sizes in bytes, times in milliseconds. */
export interface NativeEngineLimits {
  readonly memtableMaxBytes: number;
  readonly flushIntervalMs: number;
  /** Commits that were the head so lately stay readable. */
  readonly historyKeepMs: number;
  readonly memoryLimitBytes: number;
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
  /** Highest ts offset above the clock, in the database's unit; -1n = off. */
  readonly maxFutureSkew: bigint;
  /** The first that names a metric holds; what none names is kept for ever. */
  readonly retention: readonly NativeRetentionRule[];
}

/** Settings of an engine; all but the limits are fixed while it is open. */
export interface NativeEngineOptions extends NativeEngineLimits {
  readonly directory: string;
  readonly timestampUnit: NativeName<'units'>;
  readonly fsync: NativeName<'fsync'>;
  readonly fsyncIntervalMs: number;
  /** 0 = no limit. */
  readonly maxSeries: number;
  readonly maxSeriesPerMetric: number;
  readonly allocator: NativeName<'allocators'>;
  readonly casMode: NativeName<'casModes'>;
  readonly metadataReadMode: NativeName<'metadataReadModes'>;
  /** By itself; `compact()` does it in any case. */
  readonly isCompacting: boolean;
  /** So many segments of about one size become one; 2 to 64. */
  readonly compactionFactor: number;
  /** Threads that bodies come to, this one and those that join; at least 1. */
  readonly listeners: number;
  /** No byte of the directory changes; others may read it, too, and nobody may write. */
  readonly isReadOnly: boolean;
  /** Not the last state but this one, only to read; null = the last state. */
  readonly past: NativePast | null;
  /** The engine of this process that has the directory open already, and holds the state. */
  readonly beside: NativeEngine | null;
}

/**
 * Which series: by id, or by name with an exact label set (flat key, value, …), or by bare name.
 */
export type NativeSelector = (
  | { readonly seriesId: bigint }
  | { readonly name: string; readonly labels: readonly string[] | null }
) &
  NativeRequired;

/** A compressed body being decoded. Its memory counts for admission until it is closed. */
export interface NativeDecoder {
  /**
   * Takes the next bytes (lent, may be none). `keep`: only that, and gives null. Else fills
   * `piece`, of 128 KiB, with what is decoded and says how much, or null when it needs more; 0
   * after much input without content. `last`: no more will come. Throws `invalid_argument` for
   * damage and a body that is cut short, `payload_too_large` for a window of more than 8 MiB or a
   * text past max_body_bytes (both final), `closed`.
   */
  decode(chunk: Uint8Array, mode: NativeName<'decodeModes'>, piece: Uint8Array): number | null;
  /** Idempotent. */
  close(): void;
}

/** Everything that is answered as JSON, but for a remote read. */
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
 * Samples of several series. Part i, from ends[i - 1] (or 0) up to ends[i], is of the series at
 * place series[i] of the list that was asked for.
 */
export interface NativeColumnBatch {
  readonly series: Uint32Array;
  readonly ends: Uint32Array;
  readonly ts: BigInt64Array;
  readonly values: Float64Array;
}

/** What a query reads. */
interface NativeRead {
  /** Ids, of which unknown ones have no samples, or a filter. */
  readonly series: BigUint64Array | NativeSeriesFilter;
  /** Flat: start, end, start, end …; inclusive, disjoint, ascending. */
  readonly ranges: BigInt64Array;
}

/** Infinity is no limit. */
interface NativeQueryLimits {
  readonly series: number;
  readonly samples: number;
  readonly rows: number;
  readonly timeoutMs: number;
}

/** A condition on `value` in postfix order; the constant belongs to comparisons. */
export interface NativeFilterStep {
  readonly op: NativeName<'filterSteps'>;
  readonly constant: number;
}

export interface NativeAggregate {
  readonly name: NativeName<'aggregates'>;
  /** Of `percentile`, in 0…1. */
  readonly quantile: number;
  /** A place among the expressions; -1 = the value. */
  readonly argument: number;
}

/** Which samples count, and how many may. */
interface NativeSampleRead extends NativeRead {
  readonly limits: NativeQueryLimits;
  readonly filter: readonly NativeFilterStep[];
  /** One boolean, which must be true as well. */
  readonly condition: NativeExpression | null;
  /** What its other members name by place. */
  readonly expressions: NativeExpression | null;
}

/** Samples as they are, series by series in the order given; of ranges only the ends count. */
export interface NativeColumnQuery extends NativeRead {
  readonly answer: 'columns';
}

/** One table: a row for each group that has a sample, ascending by `order`, then by other keys. */
export interface NativeGroupQuery extends NativeSampleRead {
  readonly answer: 'groups';
  /** What keys name by place; where there is any, a bucket is one of them. */
  readonly keyValues: NativeExpression | null;
  /** Only with series that are named by id. */
  readonly keyColumns: readonly NativeKeyColumn[];
  readonly keys: readonly NativeGroupKey[];
  readonly aggregates: readonly NativeAggregate[];
  /** Places of keys. Nulls are last. */
  readonly order: readonly number[];
  /**
   * `months`: above 0, so many of them by the calendar in UTC, and width and origin do not count.
   * `most`: only so many of the latest buckets, below 0 of the earliest, 0 = all.
   */
  readonly bucket: {
    readonly width: bigint;
    readonly origin: bigint;
    readonly months: number;
    readonly most: number;
  } | null;
}

/** Samples that pass the filter, by time and then by series id; `ends` stays empty. */
export interface NativeRowQuery extends NativeSampleRead {
  readonly answer: 'rows';
  /** By expressions, nulls last, before time, which then ascends. */
  readonly order: readonly { readonly place: number; readonly isDescending: boolean }[];
  /** By time only. */
  readonly isDescending: boolean;
  readonly offset: number;
  /** Infinity = all. */
  readonly limit: number;
  /** Reads nothing where several series are selected, which `seriesSelected` then tells. */
  readonly isOfOneSeries: boolean;
}

/** What there is, from the index alone. */
export interface NativeListQuery {
  readonly answer: 'list';
  /** Unknown ids are passed over. */
  readonly series: BigUint64Array | NativeSeriesFilter;
  /** Series by id; the others have one column, and ascend by its bytes. */
  readonly list: NativeName<'lists'>;
  /** Whose values are asked for. */
  readonly labelKey: string;
}

/**
 * `place` is a column of a table or list; `time` and `value` are of raw rows. `labels` are JSON in a
 * text, `object` is the same as JSON.
 */
export interface NativeTextColumn {
  readonly kind: NativeName<'textColumns'>;
  readonly place: number;
  /** The key of a label. */
  readonly label: string;
  /** Stands before the value. */
  readonly before: string;
}

/** The rows of a query as text; of columns those whose value is a finite number. */
export interface NativeTextQuery {
  readonly of: NativeColumnQuery | NativeGroupQuery | NativeRowQuery | NativeListQuery;
  readonly columns: readonly NativeTextColumn[];
  readonly rowEnd: string;
  /** Rows. */
  readonly between: string;
  /** Texts are quoted as in CSV instead of JSON, and null is nothing. */
  readonly isCsv: boolean;
  /** Of groups, by columns of the table; nulls are last, equal rows keep their order. */
  readonly order: readonly { readonly place: number; readonly isDescending: boolean }[];
  /** Of groups and lists; raw rows are cut by their query. */
  readonly offset: number;
  /** Infinity = all. */
  readonly limit: number;
}

/** Some rows, in UTF-8. What stands between rows is missing between two of these. */
export interface NativeRowTexts {
  readonly text: Uint8Array<ArrayBuffer>;
  /** Bytes of its buffer before the text, and as many after it, for what the receiver adds. */
  readonly room: number;
  readonly rowCount: number;
  /** Of columns, samples since the piece before whose value is not a finite number. */
  readonly leftOutCount: number;
  /** None follow; null may come all the same. */
  readonly isLast: boolean;
}

export type NativeQuery = NativeColumnQuery | NativeGroupQuery | NativeRowQuery;

/**
 * A column of a table: times and counts; ids; numbers, NaN for null; 0 false, 1 null, 2 true;
 * texts, 2^32 - 1 for null.
 */
export type NativeTableColumn =
  | BigInt64Array
  | BigUint64Array
  | Float64Array
  | Uint8Array
  | { readonly integers: BigInt64Array; readonly nulls: Uint8Array }
  | { readonly texts: readonly string[]; readonly codes: Uint32Array };

/** First the keys of the query, then its aggregates. */
export interface NativeTable {
  readonly rowCount: number;
  readonly columns: readonly NativeTableColumn[];
}

export interface NativeQueryReader<Batch> {
  /**
   * The next samples, never none (for a group query its one table), or 256 KiB of text or so; null
   * at the end. Given. The first call selects.
   * Rejects with `series_not_found` (not for columns and steps), `query_limit_exceeded`,
   * `query_timeout`, `storage_corrupt`, `closed`.
   */
  next(): Promise<Batch | null>;
  /** Not while next() runs. Also after close(). */
  stats(): NativeQueryStats;
  /** Cancels; idempotent. */
  close(): void;
}

/** What is read, of a query that is prepared but for that. */
export interface NativePreparedRead extends NativeRead {
  readonly limits: NativeQueryLimits;
}

/** A query whose text was read once. */
export interface NativePrepared {
  /**
   * Writes what was read into `room`, the numbers of `nativeShortFigures`, and behind them the
   * rows: the size of their text, where the answer surely takes well under a millisecond, has
   * rows, and fits; else null. Throws what next() of a reader rejects with.
   */
  answer(read: NativePreparedRead, room: Uint8Array): number | null;
}

/** The samples of one series, ends inclusive. */
interface NativeRange {
  readonly answer: 'range';
  readonly selector: NativeSelector;
  readonly start: bigint;
  readonly end: bigint;
}

/** One aggregate over two windows, ends inclusive. */
interface NativeComparison {
  readonly answer: 'comparison';
  readonly selector: NativeSelector;
  readonly aggregate: NativeName<'windowAggregates'>;
  readonly start: bigint;
  readonly end: bigint;
  readonly baselineStart: bigint;
  readonly baselineEnd: bigint;
}

/** Every sample of these series in the ranges. Unknown ids are passed over. */
export interface NativeRemoval extends NativeRead {
  readonly change: 'removal';
  /** Of more series nothing is removed. Infinity is no limit. */
  readonly seriesMax: number;
}

/** Everything that is logged, but samples. */
type NativeChange = NativeAnnotation | NativeDeletion | NativeRemoval;

export interface NativeEngine {
  /** Of a time in the past alone: which state it is, and what it lacks. */
  readonly note?: string;
  /** A new request. Throws `invalid_argument`, `ingest_backpressure`, `storage_unavailable`, `closed`. */
  beginIngest(options: NativeIngestOptions): NativeIngest;
  /** Throws as beginIngest does. */
  beginDecoder(coding: NativeName<'bodyCodings'>): NativeDecoder;
  /**
   * A range selects and pins what it will see: all samples acknowledged before the call. A series
   * that is not there reads as `[]`. Throws `ambiguous_selector`.
   * Discovery: what series, metrics or label values there are, sorted bytewise (series by id), then
   * cut; sees every series whose first sample was acknowledged before the call.
   * Annotations: those that are there now, by (start, id). A comparison comes in one piece, whose
   * next() rejects with `series_not_found`, `ambiguous_selector`, `storage_corrupt`. A remote read
   * is made by the first next(), which rejects with `query_limit_exceeded` too. Throws `closed`,
   * and for a migration `invalid_configuration` where no commits are written.
   */
  openAnswer(question: NativeQuestion): NativeJsonReader;
  /**
   * Rows as JSON: all of it at once where that is short. What is longer is read to the end, or
   * closed, before its arrays change. Throws `invalid_argument`, `closed`.
   */
  openAnswer(question: NativeStepText): ArrayBuffer | NativeJsonReader;
  /**
   * The same of a query of stored samples, at one step in the order of its table, else by labels.
   * `room` begins with the limits, its numbers and how it is printed; it is filled as by
   * NativePrepared, and the size of the text given. Where rows have the same labels, or there is no
   * room for them, their table; where they take long, what reads that.
   */
  openAnswer(
    question: NativeStepQuery,
    room: Uint8Array,
  ): number | NativeStepTable | NativeQueryReader<NativeStepTable>;
  /**
   * Selects and pins nothing before the first next(), which sees all samples that were acknowledged
   * before it. Throws `closed`.
   */
  openQuery(query: NativeColumnQuery | NativeRowQuery): NativeQueryReader<NativeColumnBatch>;
  openQuery(query: NativeGroupQuery): NativeQueryReader<NativeTable>;
  openQuery(query: NativeTextQuery): NativeQueryReader<NativeRowTexts>;
  /**
   * One table each, which may be empty; at once where it is surely done soon, of which several are
   * made side by side. Selects and pins, and throws what next() of the first that fails rejects
   * with. `figures` are the limits, and then of each query its numbers.
   */
  openQuery(
    queries: readonly NativeStepQuery[],
    figures: Float64Array,
  ): (NativeStepTable | NativeQueryReader<NativeStepTable>)[];
  /** The query for another selection, other ranges and limits. Throws `closed`. */
  prepareQuery(query: NativeTextQuery): NativePrepared;
  /** Takes other limits, at once for memory and for requests that begin afterwards. */
  configure(limits: NativeEngineLimits): void;
  /**
   * Stores or deletes an annotation and resolves with its JSON text, id included; or removes
   * samples, also from what later calls see, and resolves with the number of series that were
   * selected. By then it is as durable as samples. Rejects with `annotation_not_found`, `storage_unavailable`, `ingest_backpressure`,
   * `query_limit_exceeded`, `closed`; a removal that was carried out in part says so.
   */
  change(change: NativeChange): Promise<string>;
  /** Writes all that is in memory to segments and shrinks the WAL. */
  maintain(task: 'flush'): Promise<void>;
  /** Removes what nothing needs; a dry run only says what that is. */
  maintain(task: 'collect', request: NativeCollectionRequest): Promise<NativeCollection>;
  /**
   * Keeps all that was acknowledged before under a name, or frees what only that one keeps. Rejects
   * with `snapshot_exists`, `snapshot_not_found`, `invalid_argument`, and with
   * `invalid_configuration` where commits do not name all segments.
   */
  maintain(task: 'createSnapshot' | 'deleteSnapshot', name: string): Promise<void>;
  /** Synchronous and cheap. */
  stats(): NativeStats;
  /** Of this thread: what waits for clients, and how many were cut. Gives what may; 0 if closed. */
  holdUnread(bytes: number, cutCount: number): number;
  /** For joinEngine() on another thread of JavaScript; the same number each time. */
  share(): number;
  /**
   * Flushes nothing, syncs the WAL, joins threads, frees the lock; where the engine was joined it
   * is left as it is. Idempotent; later calls of other
   * methods throw `closed`. Rejects, closed all the same, with `storage_unavailable` when the
   * database is read-only by then: not all may be on disk that should be.
   */
  close(): Promise<void>;
}

export interface NativeAddon {
  /**
   * Opens or creates the directory and recovers. Rejects with `locked`, `unit_mismatch`,
   * `storage_corrupt`, `io`; of a state of the past also with `snapshot_not_found` and
   * `state_not_found`.
   */
  openEngine(options: NativeEngineOptions): Promise<NativeEngine>;
  /**
   * An engine that another thread of JavaScript has open, by what its share() said. Throws `closed`
   * where there is none.
   */
  joinEngine(share: number): NativeEngine;
  /**
   * Lines of JSON. A report changes no byte; a restore makes a database, a file a next(); a repair
   * changes what it says. next() rejects with `locked`, `io`, `storage_corrupt`; of the two latter
   * also with `invalid_configuration`, `snapshot_not_found`, `storage_unavailable`.
   */
  openReport(request: NativeReportRequest | NativeFileWork): NativeJsonReader;
  /**
   * What this build and machine use, such as `avx512`; all codes that errors can carry; and the
   * words of enumerations as the addon has them.
   */
  facts(): {
    readonly kernel: string;
    readonly statuses: readonly string[];
    readonly names: Readonly<Record<keyof typeof nativeNames, readonly string[]>>;
  };
  /** A function, by its place in `nativeNames.math`, as expressions have it. Only `pow` looks at `y`. */
  math(code: number, x: number, y: number): number;
  /**
   * Bounds what the kernel keeps unread of the TCP connections of this process whose own port this
   * is, or leaves it to the kernel again. Returns how many there are; 0 where the system is not
   * Linux.
   */
  narrowConnections(port: number, isNarrow: boolean): number;
  /**
   * Another descriptor of what this one is of, for another thread to own and to close. Throws `io`
   * where it is not open or none is left.
   */
  copyDescriptor(descriptor: number): number;
  /** Sends what the socket takes now; returns what is left, -1: all, as of a text over 8 KiB. */
  readonly sendNow: (descriptor: number, text: string, body: Uint8Array | null) => number;
  /** Detaches it: what was given is free before the collector comes. */
  readonly freeBuffer: (buffer: ArrayBuffer) => void;
}
