/**
 * A database inside this process, without HTTP. All work except parsing runs outside the JavaScript
 * thread; parsing is cut into small pieces. Every method rejects with an AppError, whose codes are
 * those of the API.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';

import { SeriesDbError } from '../client/client-error.js';
import { parseIds, parseList, parseObject, parseQueryResult } from '../client/exact-json.js';
import { printPoint } from '../client/points.js';
import { SampleReader } from '../client/sample-reader.js';
import { aggregates } from '../client/shapes.js';
import { AppError } from '../common/errors/app-error.js';
import { timeRange } from '../common/model/time-range.js';
import { databaseTime } from '../common/model/timestamp-unit.js';
import { unitWarning } from '../common/model/time-magnitude.js';
import { annotate, deleteAnnotation, findAnnotations } from '../operations/annotate.js';
import {
  findMetrics,
  findSeries,
  findSeriesIds,
  labelValues,
  metricsHealth,
} from '../operations/discovery.js';
import { defaultQuerySettings, QueryService } from '../operations/query.js';
import { textOf } from '../operations/byte-streams.js';
import { lineProtocolOf } from '../common/model/ingest-line.js';

import {
  annotationQuestion,
  annotationText,
  i64,
  limitOf,
  metricsQuestion,
  pairsOf,
  rangeOf,
  selectorOf,
  ts,
} from './arguments.js';

import type {
  Annotation,
  AnnotationFilter,
  ChangedAnnotation,
  CompareQuery,
  CompareResult,
  HealthFilter,
  IngestReport,
  LabelValuesFilter,
  MetricDescriptor,
  MetricFilter,
  MetricHealth,
  NewAnnotation,
  Point,
  QueryResult,
  RangeQuery,
  Sample,
  SeriesDescriptor,
  SeriesFilter,
  TagFilter,
  TimestampUnit,
} from '../client/shapes.js';
import type { TableForm } from '../common/model/table-columns.js';
import type { IngestRequest, Storage } from '../storage/storage.js';

export interface DatabaseIngestOptions {
  /** The unit of the timestamps; the database's unit if absent. */
  readonly precision?: TimestampUnit;
  /** `skip` stores the good lines and reports the bad ones. The default stores all or nothing. */
  readonly on_error?: 'fail' | 'skip';
  /** The format of a text; `influx` is line protocol. */
  readonly format?: 'ndjson' | 'influx';
  /** The time of lines of line protocol without one, in the database's unit; absent: now. */
  readonly at?: bigint;
}

export interface DatabaseStatus {
  readonly status: 'ok' | 'degraded';
  /** The causes of `degraded`; empty for `ok`. */
  readonly reasons: readonly string[];
  /** Counters and gauges, named as in the API's status. */
  readonly runtime: Readonly<Record<string, number>>;
}

/** The most text parsed in one turn of the event loop, in UTF-16 units. */
const pieceSize = 64 * 1024;

export class Database {
  readonly #storage: Storage;
  readonly #unit: TimestampUnit;
  readonly #queries: QueryService;
  #closing: Promise<void> | null = null;

  /** Takes ownership of the storage. Users call `open`. */
  constructor(storage: Storage, unit: TimestampUnit) {
    this.#storage = storage;
    this.#unit = unit;
    this.#queries = new QueryService({
      storage,
      unit,
      settings: () => defaultQuerySettings,
      reportMismatch: () => undefined,
    });
  }

  /**
   * Stores points, or a text of NDJSON or line protocol. If it rejects, it stored nothing. When it
   * resolves, the samples are visible and as durable as `fsync` promises. REQUIRES: bytes do not
   * change before that.
   */
  async ingest(
    lines: string | Uint8Array | Iterable<Point>,
    options: DatabaseIngestOptions = {},
  ): Promise<IngestReport> {
    const request = this.#storage.beginIngest({
      precision: options.precision ?? this.#unit,
      isLenient: options.on_error === 'skip',
      ...formatOf(options),
    });
    return this.#store(request, lines);
  }

  /** Stores rows of CSV without a header, all or nothing. */
  importCsv(
    rows: Uint8Array,
    { columns, precision, labels, skip_blanks: skippedBlanks }: TableForm,
  ): Promise<IngestReport> {
    const form = { columns, labels: Object.entries(labels).flat(), skippedBlanks };
    const format = { kind: 'csv', linesBefore: 0, ...form } as const;
    return this.#store(this.#storage.beginIngest({ precision, isLenient: false, format }), rows);
  }

  async #store(
    request: IngestRequest,
    lines: string | Uint8Array | Iterable<Point>,
  ): Promise<IngestReport> {
    try {
      await writeAll(request, lines);
      const { ingested, rejected, errors, suspect, skipped: parts } = await request.commit();
      const warnings = suspect === undefined ? [] : [unitWarning(suspect)];
      const skipped = parts.reduce((sum, { count }) => sum + count, 0);
      return { ingested, rejected, errors, skipped, warnings };
    } catch (error) {
      request.abort();
      throw error;
    }
  }

  /** All samples of one series in a range, in time order. */
  async range(query: RangeQuery): Promise<Sample[]> {
    const all: Sample[][] = [];
    for await (const samples of this.streamRange(query)) all.push(samples);
    return all.flat();
  }

  /** Like range(), but yields some samples at a time. It reads the state at its start. */
  async *streamRange(query: RangeQuery): AsyncGenerator<Sample[]> {
    const { start, end } = rangeOf(query);
    const stream = this.#storage.openRange(selectorOf(query), start, end);
    const reader = new SampleReader();
    const decoder = new TextDecoder();
    try {
      for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
        for (let at = 0; at < piece.length; at += pieceSize) {
          const text = decoder.decode(piece.subarray(at, at + pieceSize), { stream: true });
          const samples = reader.read(text);
          if (samples.length > 0) yield samples;
          await nextTurn();
        }
      }
    } finally {
      stream.close();
    }
    reader.finish();
  }

  /** An aggregate of one series over two windows. */
  async compare(query: CompareQuery): Promise<CompareResult> {
    if (!aggregates.includes(query.aggregate)) {
      throw new AppError('invalid_aggregate', `aggregate must be one of ${aggregates.join(', ')}`);
    }
    const { start, end } = rangeOf(query);
    const baseline = timeRange(
      ts(query.baseline_start, 'baseline_start', 'invalid_baseline_start'),
      ts(query.baseline_end, 'baseline_end', 'invalid_baseline_end'),
    );
    const text = await this.#storage.compare({
      selector: selectorOf(query),
      aggregate: query.aggregate,
      ...{ start, end, baselineStart: baseline.start, baselineEnd: baseline.end },
    });
    const result: unknown = parseObject(text);
    return result as CompareResult;
  }

  /** The ids of the series with these tags. */
  async findSeriesIds({ tags, op }: TagFilter): Promise<readonly bigint[]> {
    const pairs = Object.entries(tags);
    return parseIds(await textOf(findSeriesIds(this.#storage, pairs, op ?? 'and')));
  }

  async findMetrics(filter: MetricFilter = {}): Promise<readonly MetricDescriptor[]> {
    const stream = findMetrics(this.#storage, metricsQuestion(filter));
    return parseList(await textOf(stream)) as readonly MetricDescriptor[];
  }

  async findSeries(filter: SeriesFilter): Promise<readonly SeriesDescriptor[]> {
    const stream = findSeries(this.#storage, {
      metric: filter.metric,
      labels: pairsOf(filter.labels) ?? undefined,
      op: filter.op ?? 'and',
      limit: limitOf(filter.limit),
    });
    return parseList(await textOf(stream)) as readonly SeriesDescriptor[];
  }

  async labelValues(filter: LabelValuesFilter): Promise<readonly string[]> {
    const { key, metric, prefix } = filter;
    const asked = { key, metric, prefix, limit: limitOf(filter.limit) };
    const { values } = parseObject(await textOf(labelValues(this.#storage, asked)));
    return values as readonly string[];
  }

  async metricsHealth(filter: HealthFilter = {}): Promise<readonly MetricHealth[]> {
    const before = filter.inactive_before_ts;
    const name = 'inactive_before_ts';
    const inactiveBefore =
      before === undefined ? undefined : ts(before, name, 'invalid_inactive_before_ts');
    const asked = { ...metricsQuestion(filter), inactiveBefore };
    return parseList(await textOf(metricsHealth(this.#storage, asked))) as readonly MetricHealth[];
  }

  /**
   * Stores an annotation of a time range, as durably as samples. Resolves with the annotation and
   * its id.
   */
  async writeAnnotation(note: NewAnnotation): Promise<Annotation> {
    const stored: unknown = parseObject(await annotate(this.#storage, annotationText(note)));
    return stored as Annotation;
  }

  /** Replaces the annotation with this id. */
  async updateAnnotation({ id, ...note }: ChangedAnnotation): Promise<Annotation> {
    const changed = { ...annotationText(note), id: i64(id, 'id', 'invalid_id') };
    return parseObject(await annotate(this.#storage, changed)) as unknown as Annotation;
  }

  /** Resolves with the deleted annotation. */
  async deleteAnnotation(id: bigint | number): Promise<Annotation> {
    const deleted = await deleteAnnotation(this.#storage, i64(id, 'id', 'invalid_id'));
    return parseObject(deleted) as unknown as Annotation;
  }

  /** Annotations that overlap a range, sorted by start. Both ends are inclusive. */
  async findAnnotations(filter: AnnotationFilter = {}): Promise<readonly Annotation[]> {
    const stream = findAnnotations(this.#storage, annotationQuestion(filter));
    return parseList(await textOf(stream)) as readonly Annotation[];
  }

  /** Runs a SeriesQL statement. Integers, timestamps and durations are bigint. */
  async seriesql(text: string): Promise<QueryResult> {
    const pieces = await this.#queries.ask(text, { format: 'json' }).started;
    return parseQueryResult(await textOf(pieces));
  }

  status(): DatabaseStatus {
    const reasons = this.#storage.degradedReasons();
    const status = reasons.length === 0 ? 'ok' : 'degraded';
    return { status, reasons, runtime: this.#storage.stats() };
  }

  /** Writes all memtables to segments. The samples were already durable. */
  async flush(): Promise<void> {
    await this.#storage.flush();
  }

  /**
   * Flushes and releases the directory. Idempotent. Every later call of another method rejects with
   * `closed`.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#storage.flush();
    } finally {
      await this.#storage.close();
    }
  }
}

type NamedFormat = Pick<Parameters<Storage['beginIngest']>[0], 'format'>;

/** Throws what the server answers: `invalid_format`, `invalid_at`. */
function formatOf({ format = 'ndjson', at }: DatabaseIngestOptions): NamedFormat {
  if (format === 'ndjson' && at === undefined) return {};
  if (format !== 'influx') {
    const isKnown = (format as string) === 'ndjson';
    throw isKnown
      ? new AppError('invalid_at', 'at needs the format "influx"')
      : new AppError('invalid_format', 'format must be ndjson or influx');
  }
  return { format: lineProtocolOf(at === undefined ? at : databaseTime(at)) };
}

async function writeAll(
  request: IngestRequest,
  lines: string | Uint8Array | Iterable<Point>,
): Promise<void> {
  if (lines instanceof Uint8Array) {
    for (let at = 0; at < lines.length; at += pieceSize) {
      request.write(lines.subarray(at, at + pieceSize));
      await nextTurn();
    }
    return;
  }
  for (const text of typeof lines === 'string' ? piecesOf(lines) : printed(lines)) {
    request.write(Buffer.from(text));
    await nextTurn();
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = at + pieceSize;
    // Keep the two halves of a surrogate pair together.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}

function* printed(points: Iterable<Point>): Generator<string> {
  let text = '';
  for (const point of points) {
    text += `${printedPoint(point)}\n`;
    if (text.length < pieceSize) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function printedPoint(point: Point): string {
  try {
    return printPoint(point);
  } catch (cause) {
    if (!(cause instanceof SeriesDbError)) throw cause;
    throw new AppError('invalid_record', cause.message, { cause });
  }
}
