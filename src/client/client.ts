/**
 * The client of the HTTP API, `seriesdb/client`. It needs only fetch, so it also runs in browsers.
 * Every method rejects with a SeriesDbError, or with the reason of its signal.
 */

import { notesCall, type NotedOptions } from './answer-notes.js';
import {
  invalidAnswer,
  invalidArgument,
  SeriesDbError,
  shiftLine,
  shiftMessage,
} from './client-error.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { exportCall } from './export-call.js';
import { parseIds, parseList, parseObject, parseQueryResult, printBody } from './exact-json.js';
import { importCsvCall, ingestCall } from './ingest-calls.js';
import { batchesOf, printPoints, type LineSource } from './points.js';
import {
  formatCall,
  parseFormatted,
  parsePromqlAnswer,
  promqlCall,
  type PromqlAnswer,
  type PromqlTimes,
  type PromqlWishes,
} from './promql.js';
import { queryString } from './query-string.js';
import { SampleReader } from './sample-reader.js';

import type {
  ImportCsvParameters,
  IngestParameters,
  JsonRoutes,
  SeriesqlParameters,
} from './api-types.js';
import type {
  Annotation,
  AnnotationFilter,
  Board,
  ChangedAnnotation,
  ChangedBoard,
  CompareQuery,
  CompareResult,
  ExportQuery,
  HealthFilter,
  IngestReport,
  LabelValueCount,
  LabelValuesFilter,
  MetricDescriptor,
  MetricFilter,
  MetricHealth,
  NewAnnotation,
  NewBoard,
  Point,
  QueryResult,
  RangeQuery,
  RejectedLine,
  Sample,
  SeriesDescriptor,
  SeriesFilter,
  Status,
  TagFilter,
} from './shapes.js';

export { SeriesDbError, clientCodes } from './client-error.js';
export type { AnswerNotes } from './answer-notes.js';
export { printPoint, printPoints, type LineSource } from './points.js';
export { aggregates } from './shapes.js';
export type {
  PromqlAnswer,
  PromqlPoint,
  PromqlSample,
  PromqlSeries,
  PromqlTime,
  PromqlTimes,
} from './promql.js';
export type { ConnectionOptions, RetryEvent, RetryPolicy } from './connection.js';
export type {
  Aggregate,
  Annotation,
  AnnotationFilter,
  Board,
  ChangedAnnotation,
  ChangedBoard,
  CompareQuery,
  CompareResult,
  CompareWindow,
  ExportQuery,
  HealthFilter,
  IngestReport,
  Integer,
  LabelOp,
  LabelValueCount,
  Labels,
  LabelValuesFilter,
  LegacyPoint,
  MetricDescriptor,
  MetricFilter,
  MetricHealth,
  NewAnnotation,
  NewBoard,
  Panel,
  Point,
  QueryColumn,
  QueryResult,
  QueryValue,
  RangeQuery,
  RejectedLine,
  Sample,
  SeriesDescriptor,
  SeriesFilter,
  SeriesSelector,
  Status,
  TagFilter,
  TelemetryPoint,
  TimeRange,
  TimestampUnit,
} from './shapes.js';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Options of queries that can read a past state. */
export interface QueryOptions
  extends CallOptions, NotedOptions, Pick<SeriesqlParameters, 'as_of'> {}

export interface SeriesqlOptions extends CallOptions, NotedOptions, SeriesqlParameters {}

export interface PromqlOptions extends CallOptions, PromqlWishes {}

/** By default (`on_error` is `fail`), one bad line refuses the request. */
export interface IngestOptions extends CallOptions, IngestParameters {}

export interface ImportCsvOptions extends CallOptions, ImportCsvParameters {}

export interface IngestAllOptions extends Omit<IngestOptions, 'format' | 'at'> {
  /** The approximate size of a request; 1 MiB if absent. */
  readonly batch_size?: number;
  /** Called after each acknowledgement with the sums so far. */
  readonly onProgress?: (progress: IngestProgress) => void;
}

export interface IngestProgress {
  /** Acknowledged lines. */
  readonly lines: number;
  readonly ingested: number;
  readonly rejected: number;
}

interface SendOptions extends IngestOptions {
  /** True to retry for as long as the server answers 503. */
  readonly isPatient?: boolean;
}

const defaultBatchSize = 1024 * 1024;
const rejectedShownMax = 10;

export class SeriesDbClient {
  readonly #connection: Connection;

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
  }

  /**
   * Stores points, or a text of NDJSON or line protocol, in one request. A refused request stores
   * nothing. When the promise resolves, the samples are durable and visible.
   */
  async ingest(
    lines: string | Uint8Array<ArrayBuffer> | readonly Point[],
    options: IngestOptions = {},
  ): Promise<IngestReport> {
    const isText = typeof lines === 'string' || lines instanceof Uint8Array;
    if (!isText && !isIterable(lines)) {
      throw invalidArgument(
        'ingest takes a text, bytes or an array of points, as in ingest([point])',
      );
    }
    return this.#send(isText ? lines : printPoints(lines), options);
  }

  /**
   * Stores any number of points or lines in consecutive requests of limited size. While the server
   * answers 503, it waits until `signal` aborts. After an error, acknowledged lines stay stored;
   * sending them again changes nothing. Line numbers in errors count over all requests.
   */
  async ingestAll(source: LineSource, options: IngestAllOptions = {}): Promise<IngestReport> {
    let lines = 0;
    let ingested = 0;
    let rejected = 0;
    let skipped = 0;
    const errors: RejectedLine[] = [];
    const warnings = new Set<string>();
    for await (const batch of batchesOf(source, options.batch_size ?? defaultBatchSize)) {
      const before = batch.linesBefore;
      let report: IngestReport;
      try {
        report = await this.#send(batch.text, { ...options, isPatient: true });
      } catch (error) {
        throw error instanceof SeriesDbError ? shiftLine(error, before) : error;
      }
      lines += batch.lineCount;
      ingested += report.ingested;
      rejected += report.rejected;
      skipped += report.skipped;
      for (const one of report.warnings) if (warnings.size < rejectedShownMax) warnings.add(one);
      for (const one of report.errors.slice(0, rejectedShownMax - errors.length)) {
        const line = one.line + before;
        errors.push({ ...one, line, error: shiftMessage(one.error, line) });
      }
      options.onProgress?.({ lines, ingested, rejected });
    }
    return { ingested, rejected, errors, skipped, warnings: [...warnings] };
  }

  async #send(
    body: string | Uint8Array<ArrayBuffer>,
    { signal, isPatient = false, ...parameters }: SendOptions,
  ): Promise<IngestReport> {
    const call = { ...ingestCall(body, parameters), isPatient, signal };
    return readReport(parseObject(await this.#connection.text(call)));
  }

  /**
   * Stores a CSV table in one request. A refused request stores nothing. When the promise resolves,
   * the samples are durable and visible.
   */
  async importCsv(
    table: string | Uint8Array<ArrayBuffer>,
    options: ImportCsvOptions = {},
  ): Promise<IngestReport> {
    const { signal, ...parameters } = options;
    const text = await this.#connection.text({ ...importCsvCall(table, parameters), signal });
    return readReport(parseObject(text));
  }

  /** All samples of one series in a range, in time order. */
  async range(query: RangeQuery, options: QueryOptions = {}): Promise<Sample[]> {
    const all: Sample[][] = [];
    for await (const samples of this.streamRange(query, options)) all.push(samples);
    return all.flat();
  }

  /** Like range(), but yields samples as they arrive, for ranges that do not fit into memory. */
  async *streamRange(query: RangeQuery, options: QueryOptions = {}): AsyncGenerator<Sample[]> {
    const reader = new SampleReader();
    const decoder = new TextDecoder();
    for await (const piece of this.#connection.pieces(jsonCall('query/range', query, options))) {
      const samples = reader.read(decoder.decode(piece, { stream: true }));
      if (samples.length > 0) yield samples;
    }
    reader.finish();
  }

  /** Streams samples of many series as lines that ingest accepts, and then a line of totals. */
  streamExport(query: ExportQuery, options: QueryOptions = {}): AsyncGenerator<Uint8Array> {
    const { as_of: asOf, signal, ...rest } = options;
    const call = { ...exportCall(query, asOf), signal, ...notesCall(rest) };
    return this.#connection.pieces(call);
  }

  /** The ids of the series with these tags. */
  async findSeriesIds(filter: TagFilter, options: CallOptions = {}): Promise<readonly bigint[]> {
    return parseIds(await this.#post('query/find', filter, options));
  }

  async findMetrics(
    filter: MetricFilter = {},
    options: QueryOptions = {},
  ): Promise<readonly MetricDescriptor[]> {
    return this.#list('metrics/find', filter, options);
  }

  async findSeries(
    filter: SeriesFilter,
    options: QueryOptions = {},
  ): Promise<readonly SeriesDescriptor[]> {
    return this.#list('series/find', filter, options);
  }

  async labelValues(
    filter: LabelValuesFilter,
    options: CallOptions = {},
  ): Promise<readonly string[]> {
    const { values } = await this.#labelValues(filter, options);
    return values;
  }

  /** The values with their series counts, by default the most frequent first. */
  async countLabelValues(
    filter: LabelValuesFilter,
    options: CallOptions = {},
  ): Promise<readonly LabelValueCount[]> {
    const asked = { counted: 'series_count', ...filter } as const;
    const { values, series_counts: counts } = await this.#labelValues(asked, options);
    if (counts?.length !== values.length) throw invalidAnswer('the server counted no series');
    return values.map((value, at) => ({ value, series_count: counts[at] ?? 0 }));
  }

  async #labelValues(
    filter: LabelValuesFilter,
    options: CallOptions,
  ): Promise<AnswerOf<'labels/values'>> {
    const answer: unknown = parseObject(await this.#post('labels/values', filter, options));
    const { values } = answer as Partial<AnswerOf<'labels/values'>>;
    if (!Array.isArray(values)) throw invalidAnswer('the server answered no list of values');
    return answer as AnswerOf<'labels/values'>;
  }

  async metricsHealth(
    filter: HealthFilter = {},
    options: QueryOptions = {},
  ): Promise<readonly MetricHealth[]> {
    return this.#list('metrics/health', filter, options);
  }

  /** An aggregate of one series over two windows. */
  async compare(query: CompareQuery, options: CallOptions = {}): Promise<CompareResult> {
    const result: unknown = parseObject(await this.#post('query/compare', query, options));
    return result as AnswerOf<'query/compare'>;
  }

  /** Stores an annotation. No retry after a broken connection, since it might be stored twice. */
  async writeAnnotation(note: NewAnnotation, options: CallOptions = {}): Promise<Annotation> {
    const call = { ...jsonCall('annotations/write', note, options), isRepeatable: false };
    const stored: unknown = parseObject(await this.#connection.text(call));
    return stored as AnswerOf<'annotations/write'>;
  }

  /** Replaces the annotation with this id. */
  async updateAnnotation(note: ChangedAnnotation, options: CallOptions = {}): Promise<Annotation> {
    const stored: unknown = parseObject(await this.#post('annotations/update', note, options));
    return stored as AnswerOf<'annotations/update'>;
  }

  /**
   * Resolves with the deleted annotation. No retry after a broken connection, since a second
   * deletion would not find it.
   */
  async deleteAnnotation(id: bigint, options: CallOptions = {}): Promise<Annotation> {
    const call = { ...jsonCall('annotations/delete', { id }, options), isRepeatable: false };
    const deleted: unknown = parseObject(await this.#connection.text(call));
    return deleted as AnswerOf<'annotations/delete'>;
  }

  async findAnnotations(
    filter: AnnotationFilter = {},
    options: CallOptions = {},
  ): Promise<readonly Annotation[]> {
    return this.#list('annotations/query', filter, options);
  }

  /** All boards, oldest first. */
  async listBoards(options: CallOptions = {}): Promise<readonly Board[]> {
    const call = { method: 'GET', path: '/api/v1/boards', isRepeatable: true, ...options } as const;
    return parseList(await this.#connection.text(call)) as readonly Board[];
  }

  /** Stores a board. No retry after a broken connection, since it might be stored twice. */
  async writeBoard(board: NewBoard, options: CallOptions = {}): Promise<Board> {
    const call = { ...jsonCall('boards/write', board, options), isRepeatable: false };
    const stored: unknown = parseObject(await this.#connection.text(call));
    return stored as AnswerOf<'boards/write'>;
  }

  /** Replaces the board with this id. */
  async updateBoard(board: ChangedBoard, options: CallOptions = {}): Promise<Board> {
    const stored: unknown = parseObject(await this.#post('boards/update', board, options));
    return stored as AnswerOf<'boards/update'>;
  }

  /**
   * Resolves with the deleted board. No retry after a broken connection, since a second deletion
   * would not find it.
   */
  async deleteBoard(id: bigint, options: CallOptions = {}): Promise<Board> {
    const call = { ...jsonCall('boards/delete', { id }, options), isRepeatable: false };
    const deleted: unknown = parseObject(await this.#connection.text(call));
    return deleted as AnswerOf<'boards/delete'>;
  }

  /**
   * Runs a SeriesQL statement. After a broken connection, only a statement that reads is sent
   * again.
   */
  async seriesql(text: string, options: SeriesqlOptions = {}): Promise<QueryResult> {
    return parseQueryResult(await this.#connection.text(queryCall(text, options)));
  }

  /** Streams the answer of a query as bytes in a format for other programs. */
  streamSeriesql(
    text: string,
    options: SeriesqlOptions & { readonly format: 'json' | 'csv' | 'ndjson' },
  ): AsyncGenerator<Uint8Array> {
    const accept = { json: 'application/json', csv: 'text/csv', ndjson: 'application/x-ndjson' };
    return this.#connection.pieces({
      ...queryCall(text, options),
      accept: accept[options.format],
    });
  }

  /** The value of a PromQL expression: now, at another time, or at each step of a range. */
  async promql(
    text: string,
    times: PromqlTimes = {},
    options: PromqlOptions = {},
  ): Promise<PromqlAnswer> {
    const call = { ...promqlCall(text, times, options), signal: options.signal };
    return parsePromqlAnswer(await this.#connection.text(call));
  }

  /** Formats a PromQL expression. Rejects if it is invalid. */
  async formatPromql(text: string, { signal }: CallOptions = {}): Promise<string> {
    return parseFormatted(await this.#connection.text({ ...formatCall(text), signal }));
  }

  /** Like promql(), but streams the server's JSON as bytes. */
  streamPromql(
    text: string,
    times: PromqlTimes = {},
    options: PromqlOptions = {},
  ): AsyncGenerator<Uint8Array> {
    const call = { ...promqlCall(text, times, options), signal: options.signal };
    return this.#connection.pieces(call);
  }

  async status(options: CallOptions = {}): Promise<Status> {
    const call = { method: 'GET', path: '/status', isRepeatable: true, ...options } as const;
    const status: unknown = parseObject(await this.#connection.text(call));
    return status as Status;
  }

  #post<R extends keyof JsonRoutes>(
    route: R,
    body: BodyOf<R>,
    options: QueryOptions,
  ): Promise<string> {
    return this.#connection.text(jsonCall(route, body, options));
  }

  /** Calls a route that answers a list of objects. */
  async #list<R extends keyof JsonRoutes>(
    route: R,
    body: BodyOf<R>,
    options: QueryOptions,
  ): Promise<AnswerOf<R>> {
    const list: unknown = parseList(await this.#post(route, body, options));
    return list as AnswerOf<R>;
  }
}

type BodyOf<R extends keyof JsonRoutes> = JsonRoutes[R]['body'];
type AnswerOf<R extends keyof JsonRoutes> = JsonRoutes[R]['answer'];

function queryCall(text: string, { as_of: asOf, tz, signal, ...rest }: SeriesqlOptions) {
  return {
    method: 'POST',
    path: `/api/v1/seriesql${queryString({ as_of: asOf, tz })}`,
    body: text,
    contentType: 'text/plain; charset=utf-8',
    isRepeatable: /^\s*(select|show)\b/i.test(text),
    signal,
    ...notesCall(rest),
  } as const;
}

function stateQuery(asOf: string | undefined): string {
  return queryString({ as_of: asOf });
}

function jsonCall<R extends keyof JsonRoutes>(route: R, body: BodyOf<R>, options: QueryOptions) {
  return {
    method: 'POST',
    path: `/api/v1/${route}${stateQuery(options.as_of)}`,
    body: printBody(body),
    contentType: 'application/json',
    isRepeatable: true,
    signal: options.signal,
    ...notesCall(options),
  } as const;
}

/** Untyped programs may pass any value. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function readReport(answer: Readonly<Record<string, unknown>>): IngestReport {
  const { ingested, rejected, errors, skipped, warnings } = answer;
  if (typeof ingested !== 'number') throw invalidAnswer('the server did not say what it stored');
  return {
    ingested,
    rejected: typeof rejected === 'number' ? rejected : 0,
    errors: Array.isArray(errors) ? (errors as readonly RejectedLine[]) : [],
    skipped: typeof skipped === 'number' ? skipped : 0,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  };
}
