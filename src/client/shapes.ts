/**
 * What goes into the API and what comes out, as types. Fields are named as on the wire, so that
 * one description of the API serves both. Timestamps and ids come out as bigint, since a number
 * cannot hold them all; they go in as bigint, or as a number that is a safe integer.
 */

/** A 64-bit integer. A number is accepted up to 2^53 in size; beyond that it is refused. */
export type Integer = bigint | number;

export type Labels = Readonly<Record<string, string>>;

/** How several labels of a filter are joined. The default is `and`. */
export type LabelOp = 'and' | 'or';

export type TimestampUnit = 's' | 'ms' | 'us' | 'ns';

/** A telemetry sample, or several under sibling names when it has `fields`. */
export interface TelemetryPoint {
  readonly metric: string;
  readonly ts: Integer;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly labels?: Labels;
  readonly kind?: 'gauge' | 'counter';
  readonly unit?: string;
  readonly description?: string;
}

/** A sample in the legacy form. Without `value` the first field supplies it. */
export interface LegacyPoint {
  readonly series: string;
  readonly ts: Integer;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly tags?: Labels;
}

export type Point = TelemetryPoint | LegacyPoint;

export interface IngestReport {
  /** Samples stored: a line with three fields counts three. */
  readonly ingested: number;
  /** Lines left out; only with `on_error: 'skip'`. */
  readonly rejected: number;
  /** The first ten of them. Lines count from 1. */
  readonly errors: readonly RejectedLine[];
}

export interface RejectedLine {
  readonly line: number;
  readonly code: string;
  readonly error: string;
}

export interface Sample {
  readonly ts: bigint;
  /** Null where JSON has no number for it: an infinity, or not a number. */
  readonly value: number | null;
}

/**
 * Which series. Without `labels` (or `tags`) the bare name must mean one series; with them, `{}`
 * included, they are the exact label set.
 */
export type SeriesSelector =
  | { readonly series_id: Integer }
  | { readonly metric: string; readonly labels?: Labels }
  | { readonly series: string; readonly tags?: Labels };

/** Both ends are part of the range. */
export interface TimeRange {
  readonly start: Integer;
  readonly end: Integer;
}

export type RangeQuery = SeriesSelector & TimeRange;

export interface TagFilter {
  readonly tags: Labels;
  readonly op?: LabelOp;
}

/** Without a limit everything that matches comes back. */
export interface MetricFilter {
  readonly prefix?: string;
  readonly labels?: Labels;
  readonly limit?: number;
}

export interface SeriesFilter {
  readonly metric: string;
  readonly labels?: Labels;
  readonly op?: LabelOp;
  readonly limit?: number;
}

export interface LabelValuesFilter {
  readonly key: string;
  readonly metric?: string;
  readonly prefix?: string;
  readonly limit?: number;
}

export interface HealthFilter extends MetricFilter {
  /** A series whose last sample is older, or that has none, counts as inactive. */
  readonly inactive_before_ts?: Integer;
}

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

export interface MetricHealth {
  readonly metric: string;
  readonly kind: string;
  readonly series_count: number;
  readonly inactive_series_count: number;
  readonly inactive: boolean;
  readonly label_keys: readonly string[];
  /** Out of `kind`, `unit` and `description`. */
  readonly missing_metadata: readonly string[];
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

export const aggregates = ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'] as const;

export type Aggregate = (typeof aggregates)[number];

export type CompareQuery = SeriesSelector &
  TimeRange & {
    readonly baseline_start: Integer;
    readonly baseline_end: Integer;
    readonly aggregate: Aggregate;
  };

export interface CompareWindow {
  readonly start: bigint;
  readonly end: bigint;
  readonly samples: number;
  /** Null when the window holds no sample. */
  readonly value: number | null;
}

export interface CompareResult {
  readonly series_id: bigint;
  readonly metric?: string;
  readonly labels?: Labels;
  readonly aggregate: Aggregate;
  readonly metric_kind: string;
  readonly current: CompareWindow;
  readonly baseline: CompareWindow;
  readonly change_abs: number | null;
  readonly change_pct: number | null;
}

/** A note about a time range. `end` is `start` when left out. */
export interface NewAnnotation {
  readonly kind: string;
  readonly title: string;
  readonly message?: string;
  readonly metric?: string;
  readonly labels?: Labels;
  readonly start: Integer;
  readonly end?: Integer;
}

export interface Annotation {
  readonly id: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message?: string;
  readonly metric?: string;
  readonly labels: Labels;
  readonly start: bigint;
  readonly end: bigint;
}

export interface AnnotationFilter {
  readonly start?: Integer;
  readonly end?: Integer;
  readonly kind?: string;
  readonly metric?: string;
  readonly labels?: Labels;
  readonly op?: LabelOp;
  readonly limit?: number;
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
  /** Since the server's process started. */
  readonly uptime_seconds: number;
  readonly cas_mode: string;
  readonly metadata_read_mode: string;
  readonly query_compiler_mode: string;
  readonly compatibility_debt: Readonly<Record<string, number>>;
  readonly runtime: Readonly<Record<string, number>>;
  /** Bytes that the server holds, part by part, with their sum and their limit. */
  readonly memory: Readonly<Record<string, number>>;
}

export interface QueryColumn {
  readonly name: string;
  /** `integer`, `timestamp` and `duration` columns hold bigint; `float` ones number. */
  readonly type: string;
  readonly nullable: boolean;
}

export type QueryValue = bigint | number | string | boolean | null;

export interface QueryResult {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly (readonly QueryValue[])[];
  readonly stats: Readonly<Record<string, unknown>>;
}
