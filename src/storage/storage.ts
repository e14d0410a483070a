/** The port to the storage. native-storage.ts implements it. */

import type { MathFunction } from './native/math-contract.js';
import type { Aggregate } from '../common/model/aggregate.js';
import type { Later } from '../common/model/later.js';
import type { LabelPairs, Selector } from '../common/model/selector.js';
import type {
  NativeAggregate,
  NativeColumnBatch,
  NativeEngineLimits,
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
  NativeUndelete,
} from './native/report-contract.js';
import type { StepAnswer, StepLimits, StepQuery } from './step-query.js';
import type {
  NativeLabelTable,
  NativeStepPrint,
  NativeStepTable,
} from './native/steps-contract.js';

// Types that cross the port unchanged from the addon.
export type IngestReport = NativeIngestReport;
export type LabelTerm = NativeLabelTerm;
export type SeriesFilter = NativeSeriesFilter;
export type PackedTexts = NativePackedTexts;
export type Discovery = NativeDiscovery;
export type RemoteRead = Omit<NativeRemoteRead, 'answer'>;
export type LabelQuestion = Omit<NativeLabelQuestion, 'answer'>;
export type SeriesRemoval = Omit<NativeRemoval, 'change'>;
export type ColumnBatch = NativeColumnBatch;
export type RepairWishes = NativeRepairWishes;
export type Inspected = Omit<NativeInspection, 'answer'>;
export type Undelete = Omit<NativeUndelete, 'answer'>;
export type CollectionRequest = NativeCollectionRequest;
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
   * All rows, where they are had at once; else null. Throws `series_not_found`,
   * `query_limit_exceeded` and what else ends a query.
   */
  answer(read: NativePreparedRead): ShortTexts | null;
}
export type TextColumn = NativeTextColumn;
export type TextPiece = NativeRowTexts;
export type FilterStep = NativeFilterStep;
export type Expression = NativeExpression;
export type SeriesColumn = NativeSeriesColumn;
export type KeyColumn = NativeKeyColumn;
export type GroupKey = NativeGroupKey;
export type GroupAggregate = NativeAggregate;
export type Table = NativeTable;
export type TableColumn = NativeTableColumn;
export type StorageLimits = NativeEngineLimits;
export type LabelTable = NativeLabelTable;
export type StepTable = NativeStepTable;
export type OpenedSteps = StepTable | BatchStream<StepTable>;
export type StepPrint = NativeStepPrint;

/** Retention of the samples of some metrics. */
export type RetentionRule = NativeRetentionRule;

export type { StepAnswer, StepComparison, StepFold, StepLimits, StepQuery } from './step-query.js';
export type { MathFunction } from './native/math-contract.js';
export { nativeNames, type NativeName } from './native/names.js';

export interface IngestOptions extends Omit<NativeIngestOptions, 'required'> {
  /** Added to every series; a line with another value is refused. */
  readonly required?: LabelPairs;
}

/** One ingest request in progress. Nothing is stored before commit() resolves. */
export interface IngestRequest {
  /**
   * Parses what waits and then `chunk` for about `ms`, without it all of it, and keeps a copy of
   * what is left; 0 only keeps. `chunk` is lent: it is read before the call returns. True while
   * something waits. Throws the first error of the body.
   */
  write(chunk: Uint8Array, ms?: number): boolean;
  /**
   * Parses what waits. Resolves when the samples are as durable as the fsync policy promises, and
   * visible.
   */
  commit(): Later<IngestReport>;
  abort(): void;
}

/** One aggregate of one series over two windows, all ends inclusive. */
export interface Comparison {
  readonly selector: Selector;
  readonly aggregate: Aggregate;
  readonly start: bigint;
  readonly end: bigint;
  readonly baselineStart: bigint;
  readonly baselineEnd: bigint;
}

/** Compressions of bodies that the storage decodes. */
export type BodyCoding = 'zstd' | 'snappy';

/** A compressed body being decoded. */
export interface EncodedBody {
  /**
   * Takes the next bytes (lent, may be none) and gives the next decoded piece, which may be empty
   * and is lent until the next call of any body; or null when it needs more. `keep` takes only.
   * After the `last` bytes null is the end. Throws AppError `invalid_encoding`,
   * `unsupported_encoding` for a window of zstd of more than 8 MiB, or `payload_too_large` for a
   * size that snappy tells.
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
  readonly start: bigint;
  /** Not before `start`. */
  readonly end: bigint;
  /** Labels that the replaced annotation must have; otherwise it counts as missing. */
  readonly required?: LabelPairs;
}

/** Which annotations; null does not filter. All ends inclusive. */
export interface AnnotationFilter {
  readonly start: bigint;
  readonly end: bigint;
  readonly kind: string | null;
  readonly metric: string | null;
  /** All of these, or with `isAnyLabel` one of them; none match everything. */
  readonly labels: LabelPairs;
  readonly isAnyLabel: boolean;
  /** All of these, in addition to everything else. */
  readonly required?: LabelPairs;
  readonly limit: number | null;
}

/** A stream of bytes that form one JSON text, or the answer to a remote read. */
export interface ByteStream {
  /** The next piece, or null at the end. Never called again before the last call settled. */
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
  /** Upper bounds of the buckets in seconds; each stage has one more bucket for longer times. */
  readonly bounds: readonly number[];
  readonly stages: readonly {
    readonly stage: string;
    readonly counts: Float64Array;
    /** Seconds. */
    readonly sum: number;
  }[];
}

/** Counts of blocks, except `size`, which is bytes, and `slabs`. */
export interface PoolClass {
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
  beginIngest(options: IngestOptions): IngestRequest;
  /** Both ends inclusive. Throws AppError `ambiguous_selector`. */
  openRange(selector: Selector, start: bigint, end: bigint): ByteStream;
  /** Sees every series whose first sample was acknowledged before. */
  openDiscovery(discovery: Discovery): ByteStream;
  /**
   * A message prometheus.ReadResponse in one block of snappy. next() rejects with AppError
   * `query_limit_exceeded`, `storage_corrupt`.
   */
  openRemoteRead(read: RemoteRead): ByteStream;
  /** Of Prometheus' API. next() rejects with AppError `query_limit_exceeded`. */
  openLabels(question: LabelQuestion): ByteStream;
  /**
   * The samples of the series, series by series in this order, each ascending in time; both ends
   * inclusive. An unknown id has none. next() rejects with AppError `storage_corrupt`.
   */
  openScan(seriesIds: BigUint64Array, start: bigint, end: bigint): ColumnStream;
  /**
   * One table. Its series are selected when it is read: next() rejects with AppError
   * `series_not_found`, `query_limit_exceeded`, `query_timeout`, `storage_corrupt`.
   */
  openGroups(query: GroupQuery): BatchStream<Table>;
  /** Rejects as openGroups does. */
  openRows(query: RowQuery): ColumnStream;
  /** The rows as text. Rejects as openGroups does; a list may be empty. */
  openTexts(query: TextQuery): BatchStream<TextPiece>;
  /** The same query, reusable for other series and times. It reads no labels of series. */
  prepareTexts(query: TextQuery): PreparedTexts;
  /**
   * One table each, which is empty where no series match; at once where it is surely done soon, by
   * several threads where there are many. Throws what the first that fails so has, as openGroups()
   * rejects; streams reject by themselves.
   */
  openSteps(queries: readonly StepQuery[], limits: StepLimits): readonly OpenedSteps[];
  /**
   * Rows as printSteps() has them, in the order of Prometheus' API, at once where it is surely done
   * soon, and no two have the same labels; else what openSteps() gives. Throws as that does.
   */
  answerSteps(query: StepAnswer): ShortTexts | OpenedSteps;
  /**
   * The rows as JSON, at once where they are few. What a stream prints does not change before its
   * end, with which cells that came from here are given back.
   */
  printSteps(print: StepPrint): Uint8Array | ByteStream;
  /**
   * Resolves with the JSON text of the answer. Rejects with `series_not_found`,
   * `ambiguous_selector`, `storage_corrupt`.
   */
  compare(comparison: Comparison): Promise<string>;
  /**
   * Resolves with the record's JSON text when it is as durable as samples. Rejects with
   * `annotation_not_found` where what it changes is not there.
   */
  annotate(annotation: NewAnnotation): Promise<string>;
  /** Resolves with the deleted annotation, otherwise like annotate(). */
  deleteAnnotation(id: bigint, required?: LabelPairs): Promise<string>;
  /**
   * Resolves with how many series were selected when their samples are gone for all, as durably as
   * samples come. Rejects with `query_limit_exceeded`, and as commit() does.
   */
  remove(removal: SeriesRemoval): Promise<number>;
  /** The JSON array of records, by (start, id). */
  openAnnotations(filter: AnnotationFilter): ByteStream;
}

export interface Storage extends SeriesStore {
  /** For a time in the past: which state it is, and what it lacks; else empty. */
  readonly note: string;
  /** The vector kernels of this machine, for example `avx512`. */
  readonly kernel: string;
  /** Throws as beginIngest does. Close it, or its memory stays counted. */
  beginDecoder(coding: BodyCoding): EncodedBody;
  /** For later requests; the memory limit applies at once. */
  configure(limits: StorageLimits): void;
  /**
   * Reads every file completely, and tells what it found in lines of JSON, one a piece; see
   * native/maintenance/verification.h.
   */
  openVerification(): ByteStream;
  /** Inspects the files, as JSON lines; see native/maintenance/inspection.h. */
  openInspection(inspected: Inspected): ByteStream;
  flush(): Promise<void>;
  /**
   * Merges segments until nothing is left to merge, and tells how far it is in lines of JSON, one a
   * piece; see native/maintenance/task_reader.h. Begins with the first next(); close() ends it.
   */
  openCompaction(): ByteStream;
  /**
   * Names by their hashes all that can be read, and tells of it as a compaction does. Throws
   * `invalid_configuration` where no commits are written.
   */
  openMigration(): ByteStream;
  /** Removes unreferenced files, or lists them. */
  collect(request: CollectionRequest): Promise<Collection>;
  /**
   * Keeps all that was acknowledged before under this name. Rejects with `invalid_name`,
   * `snapshot_exists`, and with `invalid_configuration` where commits do not name all segments.
   */
  createSnapshot(name: string): Promise<void>;
  /** Frees the data that only this snapshot keeps. Rejects with `snapshot_not_found`. */
  deleteSnapshot(name: string): Promise<void>;
  /** JSON lines; see native/maintenance/snapshot_list.h. */
  openSnapshots(): ByteStream;
  /** Copies flushed data to a backup; see native/maintenance/database_copy.h. */
  openBackup(directory: string): ByteStream;
  /** Restores samples that only a past state has; see native/maintenance/undelete.h. */
  openUndelete(undelete: Undelete): ByteStream;
  /** Reads all segments and repairs damaged ones; see native/maintenance/repair/repair_report.h. */
  openRepair(wishes: RepairWishes): ByteStream;
  /** Counters and gauges under the specification's `runtime` names, and more. */
  stats(): Readonly<Record<string, number>>;
  /** Durations of the stages of work. */
  stageTimes(): StageTimes;
  /** The pool of small blocks, a row per size; null with the system allocator. */
  poolClasses(): readonly PoolClass[] | null;
  /** Reasons of a degraded database; empty if it is healthy. */
  degradedReasons(): readonly string[];
  /** One word per reason; there are few different words. */
  degradedKinds(): readonly string[];
  /**
   * Bounds what the kernel keeps unread of the connections to this port, or leaves it to the kernel
   * again. It has to do with the machine rather than with the database, as `kernel` has.
   */
  narrowConnections(port: number, isNarrow: boolean): void;
  /**
   * Counts the bytes of answers that wait for clients of this thread, and the answers that were cut
   * since the last call. Returns how many bytes may wait.
   */
  holdUnread(bytes: number, cutCount: number): number;
  close(): Promise<void>;
}
