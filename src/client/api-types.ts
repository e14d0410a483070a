/**
 * The API as types, generated from the declarations of the routes by "npm run docs"; do not edit.
 *
 * Requests accept numbers that are safe integers. Answers have a bigint wherever a number might
 * lose digits. Sets of words that a later server may extend are strings.
 */

/** A 64-bit integer. A number is accepted up to 2^53 in size; beyond that it is refused. */
export type Integer = bigint | number;

export type Labels = Readonly<Record<string, string>>;

/** The keys whose values are 64-bit integers, in requests and in answers. */
export const exactKeys = [
  'after',
  'baseline_end',
  'baseline_start',
  'end',
  'first_ts',
  'id',
  'inactive_before_ts',
  'last_ts',
  'series_id',
  'start',
  'ts',
] as const;

/** Unit of the timestamps of a database. */
export type TimestampUnit = 's' | 'ms' | 'us' | 'ns';

export const aggregates = ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'] as const;

/** Aggregates of the samples of a window. */
export type Aggregate = (typeof aggregates)[number];

/** How a filter combines several labels. The default is `and`. */
export type LabelOp = 'and' | 'or';

export interface IngestReport {
  /** Samples stored: a line with three fields counts three. */
  readonly ingested: number;
  /** Rejected lines; only with `on_error=skip`. */
  readonly rejected?: number;
  /** The first ten rejected lines. Lines count from 1. */
  readonly errors?: readonly {
    readonly line: number;
    readonly code: string;
    readonly error: string;
  }[];
  /**
   * Fields of stored lines that were left out, because they are not numbers; absent if there are
   * none.
   */
  readonly skipped?: number;
  /**
   * Warnings about stored samples, such as a time unit that seems wrong; absent if there are
   * none.
   */
  readonly warnings?: readonly string[];
}

export interface Sample {
  readonly ts: bigint;
  /** Null for infinities and NaN, which JSON cannot express. */
  readonly value: number | null;
}

export interface ExportedLine {
  readonly kind?: string;
  readonly unit?: string;
  readonly description?: string;
  readonly metric: string;
  readonly labels: Labels;
  readonly ts: bigint;
  readonly value: number;
}

export interface CompareResult {
  readonly series_id: bigint;
  readonly metric?: string;
  readonly labels?: Labels;
  readonly aggregate: Aggregate;
  readonly metric_kind: string;
  readonly current: {
    readonly start: bigint;
    readonly end: bigint;
    readonly samples: number;
    /** Null if the window has no number. */
    readonly value: number | null;
  };
  readonly baseline: {
    readonly start: bigint;
    readonly end: bigint;
    readonly samples: number;
    /** Null if the window has no number. */
    readonly value: number | null;
  };
  readonly change_abs: number | null;
  readonly change_pct: number | null;
}

export type SeriesId = bigint;

export interface MetricDescriptor {
  readonly metric: string;
  readonly kind: string;
  readonly unit?: string;
  readonly description?: string;
  readonly series_count: number;
  readonly label_keys: readonly string[];
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

export interface SeriesDescriptor {
  readonly series_id: bigint;
  readonly metric: string;
  readonly labels: Labels;
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

export interface LabelValues {
  readonly values: readonly string[];
  readonly series_counts?: readonly number[];
}

export interface MetricHealth {
  readonly metric: string;
  readonly kind: string;
  readonly series_count: number;
  readonly inactive_series_count: number;
  readonly inactive: boolean;
  readonly label_keys: readonly string[];
  readonly missing_metadata: readonly string[];
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

export interface Annotation {
  readonly id: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message?: string;
  readonly metric?: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly labels: Labels;
}

export interface Board {
  readonly id: bigint;
  readonly name: string;
  readonly range?: string;
  readonly refresh?: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  /** Title of the panel. */
  readonly title: string;
  /** Metric of a chart; required if `statement` is absent. */
  readonly metric?: string;
  /** Statement; required if `metric` is absent. */
  readonly statement?: string;
  /** Language of the statement; `seriesql` if absent. */
  readonly language?: string;
  /** View options, the parameters of the page’s URL: `by`, `w`, `n`, `sort`, `y`, `step`. */
  readonly options?: Labels;
}

export interface QueryResult {
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
  }[];
  readonly rows: readonly (readonly undefined[])[];
  readonly stats: {
    readonly parse_ms: number;
    readonly validate_ms: number;
    readonly plan_ms: number;
    readonly execute_ms: number;
    readonly rows_emitted: number;
    readonly rows_scanned: number;
    readonly series_scanned: number;
    readonly chunks_scanned: number;
    readonly chunks_skipped: number;
    readonly bytes_read: number;
    readonly execution_mode: string;
    readonly legacy_fallback: boolean;
    readonly fallback_reason?: string;
    readonly selector_mode: string;
    readonly selected_series_count: number;
    readonly as_of?: string;
    readonly warnings?: readonly string[];
    readonly operators?: readonly {
      readonly name: string;
      readonly rows_out: number;
      readonly elapsed_ms: number;
    }[];
  };
}

export interface Status {
  readonly status: string;
  /** The causes of `degraded`. */
  readonly reasons?: readonly string[];
  /** Facts that an operator should know although nothing is broken. */
  readonly warnings?: readonly string[];
  /** Version of the server. */
  readonly version: string;
  /** Unit of every timestamp in this database. */
  readonly timestamp_unit: TimestampUnit;
  /** Whether the server requires a token. */
  readonly auth_required: boolean;
  /** Since the server's program was loaded. */
  readonly uptime_seconds: number;
  readonly cas_mode: string;
  readonly metadata_read_mode: string;
  readonly query_compiler_mode: string;
  readonly compatibility_debt: Readonly<Record<string, number>>;
  readonly runtime: Readonly<Record<string, number>>;
  /** Stored data: series, samples, segments and their bytes; and the free disk space. */
  readonly storage: Readonly<Record<string, number>>;
  readonly bucket?: BucketStatus;
  readonly backup?: BackupStatus;
  /** Memory of the server in bytes, by part, with sum and limit. */
  readonly memory: Readonly<Record<string, number>>;
  /** Memory of the series index in bytes, by part; `storage` has the number of series. */
  readonly index: Readonly<Record<string, number>>;
}

export interface BucketStatus {
  readonly url: string;
  readonly role: string;
  /** The name of this server in the bucket. */
  readonly node: string;
  /** What an answer to a write waits for. */
  readonly ack: string;
  /** Claims up to the own one. */
  readonly epoch: number;
  /** The newest entry. */
  readonly entry: number;
  /** Age of the oldest write that the bucket lacks. */
  readonly lag_seconds: number;
  /** Bytes of the log that the bucket lacks. */
  readonly unshipped_bytes: number;
  /** Since the last publication. */
  readonly published_age_seconds: number;
  /** Whether another server owns the database. */
  readonly fenced: boolean;
  /** Why the bucket lags or is not reached. */
  readonly failure?: string;
}

export interface BackupStatus {
  /** `s3://NAME/PREFIX`, or a directory. */
  readonly to: string;
  readonly every_seconds: number;
  /** Whether one runs now. */
  readonly running: boolean;
  /** When the last good one ended, in ISO 8601. */
  readonly last_success?: string;
  readonly last_outcome?: string;
  /** Why the last one failed. */
  readonly last_failure?: string;
}

/** The query string of POST /api/v1/ingest. */
export interface IngestParameters {
  /** Unit of the timestamps; default: the database’s. */
  readonly precision?: TimestampUnit;
  /** `skip` stores the good lines and reports the bad ones. */
  readonly on_error?: 'skip' | 'fail';
  /** The format of the body; `influx` is line protocol. */
  readonly format?: 'ndjson' | 'influx';
  /**
   * With `format=influx`: the time of lines without one, in the database’s unit; default: the
   * time of arrival.
   */
  readonly at?: Integer;
}

/** The query string of POST /api/v1/query/range. */
export interface QueryRangeParameters {
  /**
   * Past state to read instead of the current one: a snapshot name, `@` and a commit number, or
   * a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says
   * which commit a time reads, and what it lacks.
   */
  readonly as_of?: string;
}

/** The samples of one series in a time range, oldest first. */
export interface QueryRangeBody {
  /** The first timestamp, inside the range; as text ISO 8601 or `now-1h`, in UTC. */
  readonly start: Integer;
  /** The last timestamp, inside the range. */
  readonly end: Integer;
  /** The id of the series; takes precedence over `metric` and `series`. */
  readonly series_id?: Integer;
  /** The metric name; takes precedence over `series`. */
  readonly metric?: string;
  /** The name of a legacy series. */
  readonly series?: string;
  /** The exact labels, with `metric`. */
  readonly labels?: Labels;
  /** The exact tags, with `series`. */
  readonly tags?: Labels;
}

/** One aggregate of one series over two time windows. */
export interface QueryCompareBody {
  /** The first timestamp of the current window. */
  readonly start: Integer;
  /** The last timestamp of the current window. */
  readonly end: Integer;
  /** The first timestamp of the baseline window. */
  readonly baseline_start: Integer;
  /** The last timestamp of the baseline window. */
  readonly baseline_end: Integer;
  /** The aggregate of the samples of each window. */
  readonly aggregate: Aggregate;
  /** The id of the series; takes precedence over `metric` and `series`. */
  readonly series_id?: Integer;
  /** The metric name; takes precedence over `series`. */
  readonly metric?: string;
  /** The name of a legacy series. */
  readonly series?: string;
  /** The exact labels, with `metric`. */
  readonly labels?: Labels;
  /** The exact tags, with `series`. */
  readonly tags?: Labels;
}

/** The ids of the series that have these tags, ascending. */
export interface QueryFindBody {
  /** Exact tags of the series; an empty object finds nothing. */
  readonly tags: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
}

/** The query string of POST /api/v1/metrics/find. */
export interface MetricsFindParameters {
  /**
   * Past state to read instead of the current one: a snapshot name, `@` and a commit number, or
   * a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says
   * which commit a time reads, and what it lacks.
   */
  readonly as_of?: string;
}

/** The metrics with at least one matching series, by name. */
export interface MetricsFindBody {
  /** Prefix of the metric names. */
  readonly prefix?: string;
  /** Only series with these labels. */
  readonly labels?: Labels;
  /**
   * Only metrics after this name: pass the last name of an answer that `limit` cut to get the
   * next ones.
   */
  readonly after?: string;
  /** Maximum number of results, after sorting; all if absent. */
  readonly limit?: number;
}

/** The query string of POST /api/v1/series/find. */
export interface SeriesFindParameters {
  /**
   * Past state to read instead of the current one: a snapshot name, `@` and a commit number, or
   * a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says
   * which commit a time reads, and what it lacks.
   */
  readonly as_of?: string;
}

/** The series of a metric that have these labels, by id. */
export interface SeriesFindBody {
  /** The metric name. */
  readonly metric: string;
  /** Exact labels of the series. */
  readonly labels?: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
  /** Only series after this id: pass the last id of an answer to get the next ones. */
  readonly after?: Integer;
  /** Maximum number of results, after sorting; all if absent. */
  readonly limit?: number;
}

/** The values of a label, sorted. */
export interface LabelsValuesBody {
  /** The label key. */
  readonly key: string;
  /** Only values of series of this metric. */
  readonly metric?: string;
  /** Only values of series with these labels. */
  readonly labels?: Labels;
  /** Prefix of the values. */
  readonly prefix?: string;
  /**
   * Also return the number of series per value in `series_counts`, sorted by value, or by count,
   * highest first.
   */
  readonly counted?: 'value' | 'series_count';
  /** Only values after this one: pass the last value of an answer to get the next ones. */
  readonly after?: string;
  /** Maximum number of results, after sorting; all if absent. */
  readonly limit?: number;
}

/** The query string of POST /api/v1/metrics/health. */
export interface MetricsHealthParameters {
  /**
   * Past state to read instead of the current one: a snapshot name, `@` and a commit number, or
   * a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says
   * which commit a time reads, and what it lacks.
   */
  readonly as_of?: string;
}

/** Silent series of each metric, and missing parts of descriptors. */
export interface MetricsHealthBody {
  /** Prefix of the metric names. */
  readonly prefix?: string;
  /** Only series with these labels. */
  readonly labels?: Labels;
  /** Series without a sample at or after this timestamp are inactive. */
  readonly inactive_before_ts?: Integer;
  /** Only metrics with an inactive series, or with an incomplete descriptor; all if absent. */
  readonly only?: 'inactive' | 'undocumented';
  /** Sort key, highest first; `last_ts` lowest first. By name if absent, and among equals. */
  readonly sort?: 'series_count' | 'inactive_series_count' | 'last_ts';
  /**
   * Only metrics after this name: pass the last name of an answer that `limit` cut to get the
   * next ones.
   */
  readonly after?: string;
  /** Maximum number of results, after sorting; all if absent. */
  readonly limit?: number;
}

/** Stores an annotation of a time range; on disk before the answer. */
export interface AnnotationsWriteBody {
  /** Kind of the annotation; free text. */
  readonly kind: string;
  /** Short text of the annotation. */
  readonly title: string;
  /** Full text of the annotation. */
  readonly message?: string;
  /** The metric that the annotation describes. */
  readonly metric?: string;
  /** Labels of the series that the annotation describes. */
  readonly labels?: Labels;
  /** First timestamp of the annotated range. */
  readonly start: Integer;
  /** Last timestamp of the annotated range; `start` if absent. */
  readonly end?: Integer;
}

/** Annotations that overlap a time range, sorted by start, then id. */
export interface AnnotationsQueryBody {
  /** Only annotations that end at or after this timestamp. */
  readonly start?: Integer;
  /** Only annotations that start at or before this timestamp. */
  readonly end?: Integer;
  /** Only annotations of exactly this kind. */
  readonly kind?: string;
  /** Only annotations of this metric. */
  readonly metric?: string;
  /** Only annotations with these labels. */
  readonly labels?: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
  /** Maximum number of annotations. */
  readonly limit?: number;
}

/** Replaces an annotation and keeps its id; on disk before the answer. */
export interface AnnotationsUpdateBody {
  /** The id of the annotation. */
  readonly id: Integer;
  /** Kind of the annotation; free text. */
  readonly kind: string;
  /** Short text of the annotation. */
  readonly title: string;
  /** Full text of the annotation. */
  readonly message?: string;
  /** The metric that the annotation describes. */
  readonly metric?: string;
  /** Labels of the series that the annotation describes. */
  readonly labels?: Labels;
  /** First timestamp of the annotated range. */
  readonly start: Integer;
  /** Last timestamp of the annotated range; `start` if absent. */
  readonly end?: Integer;
}

/** Deletes an annotation; on disk before the answer. Its id is never reused. */
export interface AnnotationsDeleteBody {
  /** The id of the annotation. */
  readonly id: Integer;
}

/** Stores a board; on disk before the answer. */
export interface BoardsWriteBody {
  /** Name of the board. */
  readonly name: string;
  /** Time range of all panels, as the page writes it: `6h`, `today`. */
  readonly range?: string;
  /** Refresh interval of the page: `2s`, `5s`, `10s`, `1m` or `off`; `off` if absent. */
  readonly refresh?: string;
  /** The panels in order, at most 16 KiB in total. */
  readonly panels: readonly Panel[];
}

/** Replaces a board and keeps its id; on disk before the answer. */
export interface BoardsUpdateBody {
  /** The id of the board. */
  readonly id: Integer;
  /** Name of the board. */
  readonly name: string;
  /** Time range of all panels, as the page writes it: `6h`, `today`. */
  readonly range?: string;
  /** Refresh interval of the page: `2s`, `5s`, `10s`, `1m` or `off`; `off` if absent. */
  readonly refresh?: string;
  /** The panels in order, at most 16 KiB in total. */
  readonly panels: readonly Panel[];
}

/** Deletes a board; on disk before the answer. */
export interface BoardsDeleteBody {
  /** The id of the board. */
  readonly id: Integer;
}

/** The query string of POST /api/v1/seriesql. */
export interface SeriesqlParameters {
  /**
   * Past state to read instead of the current one: a snapshot name, `@` and a commit number, or
   * a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says
   * which commit a time reads, and what it lacks.
   */
  readonly as_of?: string;
  /**
   * Time zone, such as `Europe/Berlin`, of the times and days in the statement that name none;
   * UTC when left out.
   */
  readonly tz?: string;
}

/** The query string of POST /api/v1/import/csv. */
export interface ImportCsvParameters {
  /**
   * Description of the columns: a list of `time[:NAME][:UNIT]`, `value:METRIC`, `label:KEY`,
   * `metric`, `kind`, `unit`, `description`, `skip` and `empty`. With `header=use` the names
   * refer to the header.
   */
  readonly columns?: string;
  /**
   * Labels of all rows: a list of `KEY:VALUE`. A cell with a label of such a key takes
   * precedence.
   */
  readonly labels?: string;
  /** Whether the first line is a header: `skip` ignores it, `use` takes column names from it. */
  readonly header?: 'none' | 'skip' | 'use';
  /** Unit of integer times, if `columns` or the header has none. */
  readonly precision?: TimestampUnit;
  /**
   * Blank text that is skipped: lines and values of spaces (`all`), or `values` alone. Other
   * blank text makes its row invalid. Empty lines and empty cells are always skipped.
   */
  readonly skip_blanks?: 'all' | 'values' | 'none';
  /** `skip` stores the good lines and reports the bad ones. */
  readonly on_error?: 'skip' | 'fail';
}

/** The routes below /api/v1/ that take JSON: their bodies and answers. */
export interface JsonRoutes {
  readonly 'query/range': { readonly body: QueryRangeBody; readonly answer: readonly Sample[] };
  readonly 'query/compare': { readonly body: QueryCompareBody; readonly answer: CompareResult };
  readonly 'query/find': { readonly body: QueryFindBody; readonly answer: readonly SeriesId[] };
  readonly 'metrics/find': {
    readonly body: MetricsFindBody;
    readonly answer: readonly MetricDescriptor[];
  };
  readonly 'series/find': {
    readonly body: SeriesFindBody;
    readonly answer: readonly SeriesDescriptor[];
  };
  readonly 'labels/values': { readonly body: LabelsValuesBody; readonly answer: LabelValues };
  readonly 'metrics/health': {
    readonly body: MetricsHealthBody;
    readonly answer: readonly MetricHealth[];
  };
  readonly 'annotations/write': {
    readonly body: AnnotationsWriteBody;
    readonly answer: Annotation;
  };
  readonly 'annotations/query': {
    readonly body: AnnotationsQueryBody;
    readonly answer: readonly Annotation[];
  };
  readonly 'annotations/update': {
    readonly body: AnnotationsUpdateBody;
    readonly answer: Annotation;
  };
  readonly 'annotations/delete': {
    readonly body: AnnotationsDeleteBody;
    readonly answer: Annotation;
  };
  readonly 'boards/write': { readonly body: BoardsWriteBody; readonly answer: Board };
  readonly 'boards/update': { readonly body: BoardsUpdateBody; readonly answer: Board };
  readonly 'boards/delete': { readonly body: BoardsDeleteBody; readonly answer: Board };
}
