/**
 * The API as types, made from the declarations of the routes by "npm run docs"; do not edit.
 *
 * What is sent may be a number where it is a safe integer; what comes is a bigint wherever a number
 * could not hold it. Words that a later server may have more of are strings.
 */

/** A 64-bit integer. A number is accepted up to 2^53 in size; beyond that it is refused. */
export type Integer = bigint | number;

export type Labels = Readonly<Record<string, string>>;

/** The keys of what is a 64-bit integer, in requests and in answers. */
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
  /** Lines left out; only with `on_error=skip`. */
  readonly rejected?: number;
  /** The first ten of them. Lines count from 1. */
  readonly errors?: readonly {
    readonly line: number;
    readonly code: string;
    readonly error: string;
  }[];
}

export interface Sample {
  readonly ts: bigint;
  /** Null where JSON has no number for it: an infinity, or not a number. */
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
    /** Null when the window holds no number to take it of. */
    readonly value: number | null;
  };
  readonly baseline: {
    readonly start: bigint;
    readonly end: bigint;
    readonly samples: number;
    /** Null when the window holds no number to take it of. */
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
    readonly operators?: readonly {
      readonly name: string;
      readonly rows_out: number;
      readonly elapsed_ms: number;
    }[];
  };
}

export interface Status {
  readonly status: string;
  /** Why it is degraded. */
  readonly reasons?: readonly string[];
  /** What an operator should know although all is well. */
  readonly warnings?: readonly string[];
  /** Of the server. */
  readonly version: string;
  /** Of every timestamp in this database. */
  readonly timestamp_unit: TimestampUnit;
  /** Whether the server asks for a token. */
  readonly auth_required: boolean;
  /** Since the server's program was loaded. */
  readonly uptime_seconds: number;
  readonly cas_mode: string;
  readonly metadata_read_mode: string;
  readonly query_compiler_mode: string;
  readonly compatibility_debt: Readonly<Record<string, number>>;
  readonly runtime: Readonly<Record<string, number>>;
  /** What is stored: series, samples, segments and their bytes; and the room on the disk. */
  readonly storage: Readonly<Record<string, number>>;
  /** Bytes that the server holds, part by part, with their sum and their limit. */
  readonly memory: Readonly<Record<string, number>>;
  /** Bytes of the index of series, part by part; `storage` has how many series there are. */
  readonly index: Readonly<Record<string, number>>;
}

/** The query string of POST /api/v1/ingest. */
export interface IngestParameters {
  /** The unit of the timestamps, when it is not that of the database. */
  readonly precision?: TimestampUnit;
  /** `skip` stores the good lines and reports the bad ones. */
  readonly on_error?: 'skip' | 'fail';
}

/** The query string of POST /api/v1/query/range. */
export interface QueryRangeParameters {
  /**
   * The state that is read instead of the last one: the name of a snapshot, `@` and the number
   * of a commit, or a time in the unit of the database or ISO 8601.
   */
  readonly as_of?: string;
}

/** The samples of one series in a time range, oldest first. */
export interface QueryRangeBody {
  /** The first timestamp, inside the range. */
  readonly start: Integer;
  /** The last timestamp, inside the range. */
  readonly end: Integer;
  /** The series by its id; counts before `metric` and `series`. */
  readonly series_id?: Integer;
  /** The metric name; counts before `series`. */
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
  /** What to make of the samples of each window. */
  readonly aggregate: Aggregate;
  /** The series by its id; counts before `metric` and `series`. */
  readonly series_id?: Integer;
  /** The metric name; counts before `series`. */
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
  /** Tags that a series has exactly so; none of them finds nothing. */
  readonly tags: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
}

/** The query string of POST /api/v1/metrics/find. */
export interface MetricsFindParameters {
  /**
   * The state that is read instead of the last one: the name of a snapshot, `@` and the number
   * of a commit, or a time in the unit of the database or ISO 8601.
   */
  readonly as_of?: string;
}

/** The metrics with at least one matching series, by name. */
export interface MetricsFindBody {
  /** How the metric names begin. */
  readonly prefix?: string;
  /** Labels of the series that count. */
  readonly labels?: Labels;
  /** Only metrics behind this name: the last one of an answer, to go on where `limit` cut it. */
  readonly after?: string;
  /** At most so many, after sorting; all if absent. */
  readonly limit?: number;
}

/** The query string of POST /api/v1/series/find. */
export interface SeriesFindParameters {
  /**
   * The state that is read instead of the last one: the name of a snapshot, `@` and the number
   * of a commit, or a time in the unit of the database or ISO 8601.
   */
  readonly as_of?: string;
}

/** The series of a metric that have these labels, by id. */
export interface SeriesFindBody {
  /** The metric name. */
  readonly metric: string;
  /** Labels that a series has exactly so. */
  readonly labels?: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
  /** Only series behind this id: the last one of an answer, to go on. */
  readonly after?: Integer;
  /** At most so many, after sorting; all if absent. */
  readonly limit?: number;
}

/** The values that a label has, sorted. */
export interface LabelsValuesBody {
  /** The label key. */
  readonly key: string;
  /** Only values that series of this metric have. */
  readonly metric?: string;
  /** Only values that series with these labels have. */
  readonly labels?: Labels;
  /** How the values begin. */
  readonly prefix?: string;
  /**
   * Also how many series have each value, in `series_counts`: in the order of values, or the
   * most frequent first.
   */
  readonly counted?: 'value' | 'series_count';
  /** Only values behind this one: the last one of an answer, to go on. */
  readonly after?: string;
  /** At most so many, after sorting; all if absent. */
  readonly limit?: number;
}

/** The query string of POST /api/v1/metrics/health. */
export interface MetricsHealthParameters {
  /**
   * The state that is read instead of the last one: the name of a snapshot, `@` and the number
   * of a commit, or a time in the unit of the database or ISO 8601.
   */
  readonly as_of?: string;
}

/** How many series of each metric are silent, and what descriptors lack. */
export interface MetricsHealthBody {
  /** How the metric names begin. */
  readonly prefix?: string;
  /** Labels of the series that count. */
  readonly labels?: Labels;
  /** Series with no sample at or after this are inactive. */
  readonly inactive_before_ts?: Integer;
  /** Metrics with an inactive series, or whose descriptor lacks something; all if absent. */
  readonly only?: 'inactive' | 'undocumented';
  /** The highest first, of `last_ts` the lowest; by name if absent, and among equals. */
  readonly sort?: 'series_count' | 'inactive_series_count' | 'last_ts';
  /** Only metrics behind this name: the last one of an answer, to go on where `limit` cut it. */
  readonly after?: string;
  /** At most so many, after sorting; all if absent. */
  readonly limit?: number;
}

/** Stores a note on a stretch of time; on disk before the answer. */
export interface AnnotationsWriteBody {
  /** What sort of note it is; free text. */
  readonly kind: string;
  /** What the note says, in short. */
  readonly title: string;
  /** What the note says, in full. */
  readonly message?: string;
  /** The metric that the note is about. */
  readonly metric?: string;
  /** What the note is about. */
  readonly labels?: Labels;
  /** The first timestamp of the time that the note is about. */
  readonly start: Integer;
  /** The last timestamp of that time; `start` if absent. */
  readonly end?: Integer;
}

/** The notes that share a moment with a time range, by start, then id. */
export interface AnnotationsQueryBody {
  /** Only notes that end at or after this timestamp. */
  readonly start?: Integer;
  /** Only notes that start at or before this timestamp. */
  readonly end?: Integer;
  /** Only notes of exactly this kind. */
  readonly kind?: string;
  /** Only notes on this metric. */
  readonly metric?: string;
  /** Only notes with these labels. */
  readonly labels?: Labels;
  /** How several labels combine; `and` if absent. */
  readonly op?: LabelOp;
  /** How many notes at most. */
  readonly limit?: number;
}

/** Puts a note in the place of another, whose id it keeps; on disk before the answer. */
export interface AnnotationsUpdateBody {
  /** The id of the note. */
  readonly id: Integer;
  /** What sort of note it is; free text. */
  readonly kind: string;
  /** What the note says, in short. */
  readonly title: string;
  /** What the note says, in full. */
  readonly message?: string;
  /** The metric that the note is about. */
  readonly metric?: string;
  /** What the note is about. */
  readonly labels?: Labels;
  /** The first timestamp of the time that the note is about. */
  readonly start: Integer;
  /** The last timestamp of that time; `start` if absent. */
  readonly end?: Integer;
}

/** Deletes a note; on disk before the answer. Its id is not given again. */
export interface AnnotationsDeleteBody {
  /** The id of the note. */
  readonly id: Integer;
}

/** The query string of POST /api/v1/seriesql. */
export interface SeriesqlParameters {
  /**
   * The state that is read instead of the last one: the name of a snapshot, `@` and the number
   * of a commit, or a time in the unit of the database or ISO 8601.
   */
  readonly as_of?: string;
}

/** The query string of POST /api/v1/import/csv. */
export interface ImportCsvParameters {
  /**
   * What the columns are: a list of `time[:NAME][:UNIT]`, `value:METRIC`, `label:KEY`, `metric`,
   * `kind`, `unit`, `description` and `skip`. With `header=use` names are those of the header.
   */
  readonly columns?: string;
  /**
   * Whether there is a first line of names: `skip` passes over it, `use` tells the columns by
   * it.
   */
  readonly header?: 'none' | 'skip' | 'use';
  /** The unit of times that are integers, where `columns` or the header says none. */
  readonly precision?: TimestampUnit;
  /** `skip` stores the good lines and reports the bad ones. */
  readonly on_error?: 'skip' | 'fail';
}

/** What is sent as JSON below /api/v1/, and what is answered. */
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
}
