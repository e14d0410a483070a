/** The package itself, `import { open } from 'seriesdb'`: a database without HTTP. */

import { resolveSettings } from './config/resolve.js';
import { Database } from './embed/database.js';
import { openFromSettings } from './open-storage.js';

import type { Settings } from './config/settings.js';

export { AppError } from './errors/app-error.js';
export type { ErrorCode } from './errors/catalog.js';
export type { Database, DatabaseIngestOptions, DatabaseStatus } from './embed/database.js';
export type {
  Annotation,
  AnnotationFilter,
  CompareQuery,
  CompareResult,
  HealthFilter,
  IngestReport,
  Integer,
  Labels,
  LabelValuesFilter,
  LegacyPoint,
  MetricDescriptor,
  MetricFilter,
  MetricHealth,
  NewAnnotation,
  Point,
  RangeQuery,
  Sample,
  SeriesDescriptor,
  SeriesFilter,
  SeriesSelector,
  TagFilter,
  TelemetryPoint,
  TimestampUnit,
} from './client/shapes.js';

/** A number, or as it is written in a settings file: `64MiB`, `10s`. */
type Amount = number | string;

/** Named, and with the defaults, as in docs/configuration.md. */
export interface OpenOptions {
  readonly timestamp_unit?: Settings['timestamp_unit'];
  readonly fsync?: Settings['fsync'];
  readonly fsync_interval_ms?: Amount;
  readonly memtable_max_bytes?: Amount;
  readonly flush_interval_ms?: Amount;
  readonly history_keep_ms?: Amount;
  readonly memory_limit_bytes?: Amount;
  readonly max_line_bytes?: Amount;
  readonly max_body_bytes?: Amount;
  readonly max_future_skew?: Amount;
  readonly max_series?: number;
  readonly max_series_per_metric?: number;
}

/**
 * Opens a directory, making or recovering the database in it. One process at a time can have it
 * open, a server included. Rejects with AppError `locked`, `unit_mismatch`, `storage_corrupt`,
 * `io` or `invalid_configuration`.
 */
export async function open(directory: string, options: OpenOptions = {}): Promise<Database> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const values = new Map<string, unknown>([...given, ['data_dir', directory]]);
  const { settings } = resolveSettings({ file: values });
  return new Database(await openFromSettings(settings), settings.timestamp_unit);
}
