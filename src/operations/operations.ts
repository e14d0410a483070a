/**
 * The operations of a database as one object for listeners. HTTP accesses the storage only through
 * it.
 */

import type { AskedQuery, AskedRead } from './asked-query.js';
import type { BodyCoding, EncodedBody } from '../storage/storage.js';
import type { LabelPairs, Selector } from '../common/model/selector.js';
import type { TimeRange } from '../common/model/time-range.js';
import type { TimestampUnit } from '../common/model/timestamp-unit.js';

import {
  annotate,
  deleteAnnotation,
  findAnnotations,
  type AnnotationQuestion,
  type AnnotationText,
} from './annotate.js';
import { deleteBoard, listBoards, writeBoard, type KeptBoard, type BoardText } from './boards.js';
import { compareWindows, type CompareQuestion } from './compare.js';
import { compatCatalog } from './compat-catalog.js';
import { LegacyUse, compatStats, type CompatStats } from './compat.js';
import {
  findMetrics,
  findSeries,
  findSeriesIds,
  labelValues,
  metricsHealth,
  type HealthQuestion,
  type TermOp,
  type LabelValuesQuestion,
  type MetricsQuestion,
  type SeriesQuestion,
} from './discovery.js';
import { openExport, type ExportQuestion } from './export.js';
import { startIngest, type FinerTimes, type Ingest, type UnitSuspect } from './ingest.js';
import { metricsText } from './metrics.js';
import {
  MetadataReader,
  openLabels,
  openTsdbStatus,
  type LabelsQuestion,
  type MetadataQuestion,
  type TsdbStatusQuestion,
} from './prometheus-discovery.js';
import type { PromqlQuestion } from './promql.js';
import { defaultQuerySettings, QueryService, type WantedQuery } from './query.js';
import { readRange, type JsonPieces } from './range.js';
import {
  openRemoteRead,
  printSelectors,
  type MatchedRead,
  type RemoteReadWish,
} from './remote-read.js';
import { statusSnapshot, type StatusSnapshot } from './status.js';
import { sumOf, type ServerFigures, type ThreadFigures } from './thread-figures.js';

import type { Guard } from '../query/limits/guard.js';
import type { OperationsOptions } from './options.js';
import type { QueryAsker, ListedQuery } from './slots/running-queries.js';
import type {
  ByteStream,
  StoredIngestOptions,
  BlockSize,
  SeriesStore,
} from '../storage/storage.js';

export interface Operations {
  /** Version of the server. */
  readonly version: string;
  /** The same operations, restricted to series with these labels. */
  boundTo(labels: LabelPairs): Operations;
  /** The database's unit. */
  readonly timestampUnit: TimestampUnit;
  ingest(options: StoredIngestOptions): Ingest;
  /** Decodes a compressed body. Close it. */
  encodedBody(coding: BodyCoding): EncodedBody;
  /** Here and below, `asOf` names a past state; without it the current state is read. */
  range(selector: Selector, range: TimeRange, asOf?: string): JsonPieces;
  /** The past state that `asOf` reads, and its gaps. Empty if `asOf` already identifies it. */
  stateNote(asOf: string): Promise<string>;
  /** Exports samples as text. */
  export(asked: ExportQuestion, asOf?: string): ByteStream;
  /** Resolves with the JSON answer. */
  compare(question: CompareQuestion): Promise<string>;
  findSeriesIds(tags: LabelPairs, op: TermOp): JsonPieces;
  findSeries(asked: SeriesQuestion, asOf?: string): JsonPieces;
  findMetrics(asked: MetricsQuestion, asOf?: string): JsonPieces;
  metricsHealth(asked: HealthQuestion, asOf?: string): JsonPieces;
  labelValues(asked: LabelValuesQuestion): JsonPieces;
  /** Resolves with the record's JSON when it is stored. */
  annotate(text: AnnotationText): Promise<string>;
  /** Resolves with the JSON of the deleted annotation. */
  deleteAnnotation(id: bigint): Promise<string>;
  findAnnotations(question: AnnotationQuestion): JsonPieces;
  /** Stores a board and resolves with it. `id` selects the board to replace. */
  writeBoard(text: BoardText, id?: bigint): Promise<KeptBoard>;
  /** Resolves with the deleted board. */
  deleteBoard(id: bigint): Promise<KeptBoard>;
  listBoards(): Promise<readonly KeptBoard[]>;
  /** Runs a SeriesQL query on a past state or, with null, on the current one. */
  query(text: string, wanted: WantedQuery): AskedQuery;
  /** Samples selected by Prometheus matchers, as a remote_read answer. */
  remoteRead(reads: readonly MatchedRead[], wish: RemoteReadWish, asker: QueryAsker): AskedRead;
  /** Runs a PromQL query; the answer has the format of Prometheus' API. */
  promql(question: PromqlQuestion, asker: QueryAsker): AskedRead;
  /** Lists labels in the format of Prometheus' API; prometheusMetadata() lists metadata. */
  prometheusLabels(question: LabelsQuestion, asker: QueryAsker): AskedRead;
  prometheusMetadata(question: MetadataQuestion, asker: QueryAsker): AskedRead;
  /** Counts series by metric in the format of Prometheus' API. */
  tsdbStatus(question: TsdbStatusQuestion, asker: QueryAsker): AskedRead;
  /** The longest duration of a query that begins now, including its wait for a slot. */
  readonly queryTimeoutMs: number;
  /** Waiting and running queries, oldest first. */
  listQueries(): readonly ListedQuery[];
  /** Cancels a query; false if no query has that number. */
  cancelQuery(id: bigint): boolean;
  /** Closes open states of a snapshot. */
  forgetState(snapshot: string): Promise<void>;
  /** Closes everything opened in addition to the storage. */
  close(): Promise<void>;
  status(): Promise<StatusSnapshot>;
  metricsText(): Promise<string>;
  /** Use of the older API forms. */
  compatStats(): Promise<CompatStats>;
  /** Figures of this thread. */
  figures(): ThreadFigures;
  /** Metrics and labels as relations. */
  compatCatalog(): JsonPieces;
  /** As the storage gives them. */
  blockSizes(): readonly BlockSize[] | null;
  /** Why the database refuses writes. Empty if it accepts them, even if files are damaged. */
  writesBlockedBy(): readonly string[];
}

/** The shared state of all callers. */
interface SharedOptions {
  readonly options: OperationsOptions;
  readonly legacy: LegacyUse;
  readonly noteSuspect: (suspect: UnitSuspect) => void;
  readonly noteFinerTimes: (times: FinerTimes) => void;
  /** Concurrent callers get the same text. */
  readonly metricsText: () => Promise<string>;
  readonly figures: () => ThreadFigures;
  /** Sums over all threads. */
  readonly allFigures: () => Promise<ServerFigures>;
}

export function createOperations(options: OperationsOptions): Operations {
  const queries = new QueryService({
    storage: options.storage,
    unit: options.timestampUnit,
    settings: options.querySettings ?? (() => defaultQuerySettings),
    reportMismatch: options.reportMismatch ?? (() => undefined),
    ...(options.openState === undefined ? {} : { openState: options.openState }),
    ...(options.thread === undefined ? {} : { thread: options.thread }),
  });
  const legacy = new LegacyUse();
  const figures = (): ThreadFigures => ({
    requests: options.requestMetrics.figures(),
    eventLoopDelay: options.eventLoopDelay.figures(),
    queries: queries.figures(),
    legacyQueries: legacy.queries,
  });
  const allFigures = async (): Promise<ServerFigures> =>
    sumOf([figures(), ...((await options.others?.()) ?? [])]);
  const shared = {
    options,
    legacy,
    noteSuspect: onceAMinute(options.reportUnitSuspect ?? (() => undefined)),
    noteFinerTimes: once(options.reportFinerTimes ?? (() => undefined)),
    metricsText: whileRunning(async () => metricsText(options, await allFigures())),
    figures,
    allFigures,
  };
  return operationsOn({ queries, shared });
}

function onceAMinute<Value>(tell: (value: Value) => void): (value: Value) => void {
  let nextMs = 0;
  return (value) => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + 60_000;
    tell(value);
  };
}

function once<Value>(tell: (value: Value) => void): (value: Value) => void {
  let isTold = false;
  return (value) => {
    if (!isTold) tell(value);
    isTold = true;
  };
}

function whileRunning<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | null = null;
  return () =>
    (running ??= run().finally(() => {
      running = null;
    }));
}

interface OperationsPart {
  readonly queries: QueryService;
  readonly shared: SharedOptions;
}

function operationsOn(part: OperationsPart): Operations {
  const { queries, shared } = part;
  const { store } = queries;
  const { options, legacy } = shared;
  const { storage, timestampUnit } = options;
  const { protocols } = options.requestMetrics;
  const listeners = { ...shared, timestampUnit, protocols };
  const reading = (
    asOf: string | undefined,
    open: (from: SeriesStore) => JsonPieces,
  ): JsonPieces => (asOf === undefined ? open(store) : queries.readPast(asOf, open));
  return {
    version: options.version,
    boundTo: partsOf(part),
    timestampUnit,
    ingest: (wishes) => startIngest(store, wishes, listeners),
    encodedBody: (coding) => storage.beginDecoder(coding),
    stateNote: (asOf) => queries.noteOf(asOf),
    range: (selector, range, asOf) => {
      legacy.count(selector);
      return reading(asOf, (from) => readRange(from, selector, range));
    },
    export: (asked, asOf) =>
      reading(asOf, (from) =>
        openExport(from, asked, {
          unit: options.timestampUnit,
          guard: queries.newGuard(),
          noteLeftOut: (count) => {
            options.requestMetrics.recordLeftOut(count);
          },
        }),
      ),
    compare: (question) => {
      legacy.count(question.selector);
      return compareWindows(store, question);
    },
    findSeriesIds: (tags, op) => findSeriesIds(store, tags, op),
    findSeries: (asked, asOf) => reading(asOf, (from) => findSeries(from, asked)),
    findMetrics: (asked, asOf) => reading(asOf, (from) => findMetrics(from, asked)),
    metricsHealth: (asked, asOf) => reading(asOf, (from) => metricsHealth(from, asked)),
    labelValues: (asked) => labelValues(store, asked),
    annotate: (text) => annotate(store, text),
    deleteAnnotation: (id) => deleteAnnotation(store, id),
    findAnnotations: (question) => findAnnotations(store, question),
    writeBoard: (text, id) => writeBoard(store, text, id),
    deleteBoard: (id) => deleteBoard(store, id),
    listBoards: () => listBoards(store),
    query: (text, wanted) => queries.ask(text, wanted),
    ...prometheusPart(queries, timestampUnit),
    get queryTimeoutMs() {
      return queries.timeoutMs;
    },
    listQueries: () => queries.listRunning(),
    cancelQuery: (id) => queries.cancelRunning(id),
    forgetState: (snapshot) => queries.forgetState(snapshot),
    close: () => queries.close(),
    status: async () => statusSnapshot(options, (await shared.allFigures()).queries),
    metricsText: shared.metricsText,
    compatStats: async () => compatStats(storage, (await shared.allFigures()).legacyQueries),
    figures: shared.figures,
    compatCatalog: () => compatCatalog(store),
    blockSizes: () => storage.blockSizes(),
    writesBlockedBy: () =>
      storage.stats()['writes_blocked'] === 1 ? storage.degradedReasons() : [],
  };
}

type PrometheusPart =
  'remoteRead' | 'promql' | 'prometheusLabels' | 'prometheusMetadata' | 'tsdbStatus';

/** Requests of Prometheus and its clients. They wait for query slots. */
function prometheusPart(
  queries: QueryService,
  unit: TimestampUnit,
): Pick<Operations, PrometheusPart> {
  const { store, escapedNames: names } = queries;
  const metadata = new MetadataReader(store);
  return {
    remoteRead: (reads, wish, asker) => {
      const selectors = reads.map(({ matchers }) => matchers);
      const open = (guard: Guard): Promise<ByteStream> =>
        openRemoteRead({ ...wish, store, names, unit, guard }, reads);
      return queries.read({ text: printSelectors(selectors), open, asker });
    },
    promql: (question, asker) => queries.askPromql(question, asker),
    prometheusLabels: (question, asker) => {
      const text = printSelectors(question.selectors);
      const open = (guard: Guard): Promise<ByteStream> =>
        openLabels({ store, unit, guard }, question);
      return queries.read({ text, open, asker });
    },
    prometheusMetadata: (question, asker) => {
      const open = (guard: Guard): Promise<ByteStream> => metadata.open(question, guard);
      return queries.read({ text: question.metric ?? '{}', open, asker });
    },
    tsdbStatus: (question, asker) => {
      const open = (guard: Guard): Promise<ByteStream> =>
        openTsdbStatus({ store, unit, guard }, question);
      return queries.read({ text: '{}', open, asker });
    },
  };
}

/** Creates the operations once per label list, and keeps them as long as the list lives. */
function partsOf(whole: OperationsPart): Operations['boundTo'] {
  const known = new WeakMap<LabelPairs, Operations>();
  return (labels) => {
    const made = known.get(labels);
    if (made !== undefined) return made;
    const part = operationsOn({ ...whole, queries: whole.queries.boundTo(labels) });
    known.set(labels, part);
    return part;
  };
}
