/**
 * What goes into the API and what comes out, as types. Fields are named as on the wire, so that
 * one description of the API serves both: most of these are the types of the routes' declarations.
 * Timestamps and ids come out as bigint, since a number cannot hold them all; they go in as
 * bigint, or as a number that is a safe integer.
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
  /** Of the series that were asked for, so many have it. */
  readonly series_count: number;
}

/** A telemetry sample, or several under sibling names when it has `fields`. */
export interface TelemetryPoint {
  readonly metric: string;
  /** A text is ISO 8601, in UTC without a zone. */
  readonly ts: Integer | string;
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
  /** A text is ISO 8601, in UTC without a zone. */
  readonly ts: Integer | string;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
  readonly tags?: Labels;
}

export type Point = TelemetryPoint | LegacyPoint;

/** Without `on_error: 'skip'` nothing is ever rejected. */
export type IngestReport = Required<api.IngestReport>;

export type RejectedLine = IngestReport['errors'][number];

/**
 * Which series. Without `labels` (or `tags`) the bare name must mean one series; with them, `{}`
 * included, they are the exact label set.
 */
export type SeriesSelector =
  | Required<Pick<api.QueryRangeBody, 'series_id'>>
  | (Required<Pick<api.QueryRangeBody, 'metric'>> & Pick<api.QueryRangeBody, 'labels'>)
  | (Required<Pick<api.QueryRangeBody, 'series'>> & Pick<api.QueryRangeBody, 'tags'>);

/** Both ends are part of the range. */
export type TimeRange = Pick<api.QueryRangeBody, 'start' | 'end'>;

export type RangeQuery = SeriesSelector & TimeRange;

export type CompareQuery = SeriesSelector &
  Omit<api.QueryCompareBody, 'series_id' | 'metric' | 'series' | 'labels' | 'tags'>;

export type CompareWindow = api.CompareResult['current'];

/** `integer`, `timestamp` and `duration` columns hold bigint; `float` ones number. */
export type QueryColumn = api.QueryResult['columns'][number];

export type QueryValue = bigint | number | string | boolean | null;

export interface QueryResult extends Pick<api.QueryResult, 'columns'> {
  readonly rows: readonly (readonly QueryValue[])[];
  readonly stats: Readonly<Record<string, unknown>>;
}
