/**
 * Types of the API's inputs and outputs. Fields have their wire names, so one description of the
 * API serves both. Most types come from the route declarations. Timestamps and ids come out as
 * bigint, since a number cannot hold them all. They go in as bigint or as safe integers.
 */

import type * as api from './api-types.js';
import type { Integer, Labels } from './api-types.js';

export { aggregates } from './api-types.js';
export type {
  Aggregate,
  Annotation,
  Board,
  CompareResult,
  Integer,
  LabelOp,
  Labels,
  MetricDescriptor,
  MetricHealth,
  Panel,
  Sample,
  SeriesDescriptor,
  Status,
  TimestampUnit,
} from './api-types.js';
export type {
  AnnotationsQueryBody as AnnotationFilter,
  AnnotationsUpdateBody as ChangedAnnotation,
  AnnotationsWriteBody as NewAnnotation,
  BoardsUpdateBody as ChangedBoard,
  BoardsWriteBody as NewBoard,
  LabelsValuesBody as LabelValuesFilter,
  MetricsFindBody as MetricFilter,
  MetricsHealthBody as HealthFilter,
  QueryFindBody as TagFilter,
  SeriesFindBody as SeriesFilter,
} from './api-types.js';

export interface LabelValueCount {
  readonly value: string;
  /** The number of requested series that have this value. */
  readonly series_count: number;
}

/** A telemetry sample. With `fields` it is several samples under sibling names. */
export interface TelemetryPoint {
  readonly metric: string;
  /** A text is ISO 8601; without a zone it is UTC. */
  readonly ts: Integer | string;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly labels?: Labels;
  readonly kind?: 'gauge' | 'counter';
  readonly unit?: string;
  readonly description?: string;
}

/** A sample in the legacy form. If `value` is absent, the first field supplies it. */
export interface LegacyPoint {
  readonly series: string;
  /** A text is ISO 8601; without a zone it is UTC. */
  readonly ts: Integer | string;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly tags?: Labels;
}

export type Point = TelemetryPoint | LegacyPoint;

/** Without `on_error: 'skip'` no line is rejected. */
export type IngestReport = Required<api.IngestReport>;

export type RejectedLine = IngestReport['errors'][number];

/**
 * Selects series. If `labels` (or `tags`) is absent, the bare name must match one series. If
 * present, even as `{}`, it is the exact label set.
 */
export type SeriesSelector =
  | Required<Pick<api.QueryRangeBody, 'series_id'>>
  | (Required<Pick<api.QueryRangeBody, 'metric'>> & Pick<api.QueryRangeBody, 'labels'>)
  | (Required<Pick<api.QueryRangeBody, 'series'>> & Pick<api.QueryRangeBody, 'tags'>);

/** Both ends are inclusive. */
export type TimeRange = Pick<api.QueryRangeBody, 'start' | 'end'>;

/** The series of one metric, or of all with a prefix, that have these labels. */
export interface ExportQuery extends Partial<TimeRange> {
  readonly metric?: string;
  readonly prefix?: string;
  readonly labels?: Labels;
}

export type RangeQuery = SeriesSelector & TimeRange;

export type CompareQuery = SeriesSelector &
  Omit<api.QueryCompareBody, 'series_id' | 'metric' | 'series' | 'labels' | 'tags'>;

export type CompareWindow = api.CompareResult['current'];

/** Columns of `integer`, `timestamp` and `duration` hold bigint; `float` columns hold numbers. */
export type QueryColumn = api.QueryResult['columns'][number];

export type QueryValue = bigint | number | string | boolean | null;

export interface QueryResult extends Pick<api.QueryResult, 'columns'> {
  readonly rows: readonly (readonly QueryValue[])[];
  readonly stats: Readonly<Record<string, unknown>>;
}
