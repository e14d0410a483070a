/** The port to the storage. native-storage.ts implements it. */

import type { MathFunction } from './native/math-contract.js';
import type { RangeAggregate } from '../common/model/aggregate.js';
import type { Later } from '../common/model/later.js';
import type { LabelPairs, Selector } from '../common/model/selector.js';
import type { DatabaseTime } from '../common/model/timestamp-unit.js';
import type {
  NativeAggregate,
  NativeColumnBatch,
  NativeFilterStep,
  NativeGroupQuery,
  NativeListQuery,
  NativeRemoval,
  NativeRowQuery,
  NativeRowTexts,
  NativeTable,
  NativeTableColumn,
  NativeTextColumn,
  NativePreparedRead,
  NativeTextQuery,
} from './native/contract.js';
import type { NativeQueryStats } from './native/stats-contract.js';
import type { NativeIngestOptions, NativeIngestReport } from './native/ingest-contract.js';
import type { NativeRetentionRule } from './native/retention-contract.js';
import type { NativeEngineLimits } from './native/limits-contract.js';
import type {
  NativeExpression,
  NativeGroupKey,
  NativeKeyColumn,
  NativeSeriesColumn,
} from './native/expression-contract.js';
import type {
  NativeDiscovery,
  NativeLabelQuestion,
  NativeLabelTerm,
  NativePackedTexts,
  NativeRemoteRead,
  NativeSeriesFilter,
} from './native/filter-contract.js';
import type {
  NativeCollection,
  NativeCollectionRequest,
  NativeInspection,
  NativeRepairWishes,
  NativeBucketBackup,
  NativeUndelete,
} from './native/report-contract.js';
import type { StepAnswer, StepLimits, StepQuery } from './step-query.js';
import type {
  NativeLabelTable,
  NativeStepPrint,
  NativeStepTable,
} from './native/steps-contract.js';

// Types that cross the port unchanged from the addon.
export type StoredIngestReport = NativeIngestReport;
export type LabelTerm = NativeLabelTerm;
export type SeriesFilter = NativeSeriesFilter;
export type PackedTexts = NativePackedTexts;
export type Discovery = NativeDiscovery;
export type RemoteRead = Omit<NativeRemoteRead, 'answer'>;
export type LabelQuestion = Omit<NativeLabelQuestion, 'answer'>;
export type SeriesRemoval = Omit<NativeRemoval, 'change'>;
export type ColumnBatch = NativeColumnBatch;
export type StoredRepairWishes = NativeRepairWishes;
export type Inspected = Omit<NativeInspection, 'answer'>;
export type Undelete = Omit<NativeUndelete, 'answer'>;
export type BucketBackup = Omit<NativeBucketBackup, 'answer'>;
export type StoredCollectionRequest = NativeCollectionRequest;
export type Collection = NativeCollection;
export type ReadStats = NativeQueryStats;
export type GroupQuery = NativeGroupQuery;
export type RowQuery = NativeRowQuery;
export type ListQuery = NativeListQuery;
export type TextQuery = NativeTextQuery;
/** All rows of a query. */
export interface ShortTexts {
  /** Valid until the next request. */
  readonly text: Uint8Array;
  readonly rowCount: number;
  readonly stats: ReadStats;
}
export interface PreparedTexts {
  /**
   * All rows if they are available at once; otherwise null. Throws `series_not_found`,
   * `query_limit_exceeded` and the other errors that end a query.
   */
  answer(read: NativePreparedRead): ShortTexts | null;
}
export type TextColumn = NativeTextColumn;
export type TextPiece = NativeRowTexts;
export type FilterStep = NativeFilterStep;
export type StoredExpression = NativeExpression;
export type SeriesColumn = NativeSeriesColumn;
export type KeyColumn = NativeKeyColumn;
export type GroupKey = NativeGroupKey;
export type GroupAggregate = NativeAggregate;
export type StoredTable = NativeTable;
export type StoredTableColumn = NativeTableColumn;
export type StorageLimits = NativeEngineLimits;
export type StoredLabelTable = NativeLabelTable;
export type StepTable = NativeStepTable;
export type OpenedSteps = StepTable | BatchStream<StepTable>;
export type StepPrint = NativeStepPrint;

/** Retention of the samples of some metrics. */
export type RetentionRule = NativeRetentionRule;

export type { StepAnswer, StepComparison, StepFold, StepLimits, StepQuery } from './step-query.js';
export type { MathFunction } from './native/math-contract.js';
export { nativeNames, type NativeName } from './native/names.js';

export interface StoredIngestOptions extends Omit<NativeIngestOptions, 'required'> {
  /** Added to every series; a line with another value is refused. */
  readonly required?: LabelPairs;
}

/** One ingest request in progress. Nothing is stored before commit() resolves. */
export interface IngestRequest {
  /**
   * Parses the waiting text and then `chunk`, for about `ms` milliseconds; without `ms` all of it.
   * Keeps a copy of the rest; 0 only keeps. `chunk` is lent: it is read before the call returns.
   * True while text waits. Throws the first error of the body.
   */
  write(chunk: Uint8Array, ms?: number): boolean;
  /**
   * Parses the waiting text. Resolves when the samples are visible and as durable as the fsync
   * policy promises.
   */
  commit(): Later<StoredIngestReport>;
  abort(): void;
}

/** One aggregate of one series over two windows, all ends inclusive. */
export interface WindowComparison {
  readonly selector: Selector;
  readonly aggregate: RangeAggregate;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
  readonly baselineStart: DatabaseTime;
  readonly baselineEnd: DatabaseTime;
}

/** Compressions of bodies that the storage decodes. */
export type BodyCoding = 'zstd' | 'snappy';

/** A compressed body being decoded. */
export interface EncodedBody {
  /**
   * Takes the next bytes (lent, may be none) and returns the next decoded piece; null if it needs
   * more. A piece may be empty, and is lent until the next call for any body. `keep` only takes
   * bytes. After the `last` bytes, null is the end.
   *
   * Throws AppError `invalid_encoding`, `unsupported_encoding` for a zstd window of more than 8
   * MiB, or `payload_too_large` for a size that snappy declares.
   */
  decode(chunk: Uint8Array, mode: 'keep' | 'more' | 'last'): Uint8Array | null;
  close(): void;
}

export interface NewAnnotation {
  /** The id of the annotation to replace; 0n: a new one. */
  readonly changes: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message: string | null;
  readonly metric: string | null;
  readonly labels: LabelPairs;
  readonly start: DatabaseTime;
  /** Not before `start`. */
  readonly end: DatabaseTime;
  /** Labels that the replaced annotation must have; otherwise it counts as missing. */
  readonly required?: LabelPairs;
}

/** Selects annotations. A null member does not filter. All ends inclusive. */
export interface AnnotationFilter {
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
  readonly kind: string | null;
  readonly metric: string | null;
  /** All of these labels, or one of them with `isAnyLabel`; an empty list matches everything. */
  readonly labels: LabelPairs;
  readonly isAnyLabel: boolean;
  /** All of these labels, in addition to every other condition. */
  readonly required?: LabelPairs;
  readonly limit: number | null;
}

/** A stream of bytes that form one JSON text, or the answer to a remote read. */
export interface ByteStream {
  /** The next piece, or null at the end. The caller waits for one call before the next. */
  next(): Promise<Uint8Array | null>;
  close(): void;
}

/** Reads the batches of a query. */
export interface BatchStream<Batch> {
  /** The next batch, never empty, or null at the end; one call at a time. */
  next(): Promise<Batch | null>;
  /** Not while next() runs. Allowed after close(). */
  stats(): ReadStats;
  /** Ends a running next() early; idempotent. */
  close(): void;
}

export type ColumnStream = BatchStream<ColumnBatch>;

export interface StageTimes {
  /** Upper bounds of the buckets in seconds. Each stage has one more bucket for longer times. */
  readonly bounds: readonly number[];
  readonly stages: readonly {
    readonly stage: string;
    readonly counts: Float64Array;
    /** Seconds. */
    readonly sum: number;
  }[];
}

/** See native/storage/memtable/block_figures.h. */
export interface BlockSize {
  readonly size: number;
  readonly allocations: number;
  readonly in_use: number;
  readonly high_water: number;
  readonly refills: number;
  readonly slabs: number;
}

/** The stored data, to read and write, independent of its format. */
export interface SeriesStore {
  /** Evaluates math functions exactly as query expressions do. */
  readonly math: MathFunction;
  beginIngest(options: StoredIngestOptions): IngestRequest;
  /** Both ends inclusive. Throws AppError `ambiguous_selector`. */
  openRange(selector: Selector, start: DatabaseTime, end: DatabaseTime): ByteStream;
  /** Sees every series whose first sample was acknowledged before. */
  openDiscovery(discovery: Discovery): ByteStream;
  /**
   * A message prometheus.ReadResponse in one snappy block. next() rejects with AppError
   * `query_limit_exceeded`, `storage_corrupt`.
   */
  openRemoteRead(read: RemoteRead): ByteStream;
  /** An answer of Prometheus' API. next() rejects with AppError `query_limit_exceeded`. */
  openLabels(question: LabelQuestion): ByteStream;
  /**
   * The samples of the series, series by series in this order, each by ascending time; both ends
   * inclusive. An unknown id has no samples. next() rejects with AppError `storage_corrupt`.
   */
  openScan(seriesIds: BigUint64Array, start: DatabaseTime, end: DatabaseTime): ColumnStream;
  /**
   * One table. The first next() selects the series; next() rejects with AppError
   * `series_not_found`, `query_limit_exceeded`, `query_timeout`, `storage_corrupt`.
   */
  openGroups(query: GroupQuery): BatchStream<StoredTable>;
  /** Rejects as openGroups does. */
  openRows(query: RowQuery): ColumnStream;
  /** The rows as text. Rejects as openGroups does; a list may be empty. */
  openTexts(query: TextQuery): BatchStream<TextPiece>;
  /** The same query, reusable for other series and times. It must not read labels of series. */
  prepareTexts(query: TextQuery): PreparedTexts;
  /**
   * One table per query, empty if no series match. A short query gives its table at once, computed
   * by several threads if there are many; any other gives a stream. Throws the error of the first
   * short query that fails, as openGroups() rejects; streams reject separately.
   */
  openSteps(queries: readonly StepQuery[], limits: StepLimits): readonly OpenedSteps[];
  /**
   * Rows in the form of printSteps(), in the order of Prometheus' API. If the answer is not short,
   * or two rows have the same labels, gives the result of openSteps(). Throws as openSteps() does.
   */
  answerSteps(query: StepAnswer): ShortTexts | OpenedSteps;
  /**
   * The rows as JSON; a short answer comes at once. The caller must not change the printed data
   * before the stream ends. The end also releases cells that came from this storage.
   */
  printSteps(print: StepPrint): Uint8Array | ByteStream;
  /**
   * Resolves with the JSON text of the answer. Rejects with `series_not_found`,
   * `ambiguous_selector`, `storage_corrupt`.
   */
  compare(comparison: WindowComparison): Promise<string>;
  /**
   * Resolves with the JSON text of the record when it is as durable as samples. Rejects with
   * `annotation_not_found` if the annotation to replace is missing.
   */
  annotate(annotation: NewAnnotation): Promise<string>;
  /** Resolves with the deleted annotation, otherwise like annotate(). */
  deleteAnnotation(id: bigint, required?: LabelPairs): Promise<string>;
  /**
   * Removes samples. Resolves with the number of selected series when the removal is visible to all
   * and as durable as samples. Rejects with `query_limit_exceeded`, and as commit() does.
   */
  remove(removal: SeriesRemoval): Promise<number>;
  /** The JSON array of annotations, by (start, id). */
  openAnnotations(filter: AnnotationFilter): ByteStream;
}

export interface Storage extends SeriesStore {
  /** For a past time: the commit that answers, and what it lacks or has beside; otherwise empty. */
  readonly note: string;
  /** The vector kernels of this machine, for example `avx512`. */
  readonly kernel: string;
  /** Throws as beginIngest does. Its memory stays counted until close(). */
  beginDecoder(coding: BodyCoding): EncodedBody;
  /** Applies to later requests; the memory limit applies at once. */
  configure(limits: StorageLimits): void;
  /**
   * Reads every file completely and reports in JSON lines, one per piece; see
   * native/maintenance/verification.h.
   */
  openVerification(): ByteStream;
  /** Inspects the files, as JSON lines; see native/maintenance/inspection.h. */
  openInspection(inspected: Inspected): ByteStream;
  flush(): Promise<void>;
  /**
   * Merges segments until nothing is left to merge. Reports progress in JSON lines, one per piece;
   * see native/maintenance/task_reader.h. The first next() starts it; close() stops it.
   */
  openCompaction(): ByteStream;
  /**
   * Names all readable segments by their hashes; reports like a compaction. Throws
   * `invalid_configuration` if no commits are written.
   */
  openMigration(): ByteStream;
  /** Removes unreferenced files, or lists them. */
  collect(request: StoredCollectionRequest): Promise<Collection>;
  /**
   * Keeps all data acknowledged before the call under this name. Rejects with `invalid_name`,
   * `snapshot_exists`, and with `invalid_configuration` if commits do not name all segments.
   */
  createSnapshot(name: string): Promise<void>;
  /** Frees the data that only this snapshot keeps. Rejects with `snapshot_not_found`. */
  deleteSnapshot(name: string): Promise<void>;
  /** JSON lines; see native/maintenance/snapshot_list.h. */
  openSnapshots(): ByteStream;
  /** Copies flushed data to a backup; see native/maintenance/database_copy.h. */
  openBackup(directory: string): ByteStream;
  /** The same to an object store; see native/maintenance/bucket/backup.h. */
  openBucketBackup(backup: BucketBackup): ByteStream;
  /** Restores samples that only a past state has; see native/maintenance/undelete.h. */
  openUndelete(undelete: Undelete): ByteStream;
  /** Reads all segments and repairs damaged ones; see native/maintenance/repair/repair_report.h. */
  openRepair(wishes: StoredRepairWishes): ByteStream;
  /** Counters and gauges under the specification's `runtime` names, and more. */
  stats(): Readonly<Record<string, number>>;
  /** Durations of the stages of work. */
  stageTimes(): StageTimes;
  /** The small blocks of memtables, a row per size; null unless `allocator` counts them. */
  blockSizes(): readonly BlockSize[] | null;
  /** Reasons of a degraded database; empty if it is healthy. */
  degradedReasons(): readonly string[];
  /** One word per reason, from a small set. */
  degradedKinds(): readonly string[];
  /**
   * Limits the unread data that the kernel keeps for connections to this port, or restores the
   * kernel's default. Like `kernel`, it concerns the machine rather than the database.
   */
  narrowConnections(port: number, isNarrow: boolean): void;
  /**
   * Reports the bytes of answers that wait for clients of this thread, and the answers cut
   * meanwhile. Returns the bytes that may wait.
   */
  holdUnread(bytes: number, cutCount: number): number;
  close(): Promise<void>;
}
