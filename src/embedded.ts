/** The package itself, `import { open } from 'seriesdb'`: a database without HTTP. */

import { resolveSettings } from './config/resolve.js';
import { Database } from './embed/database.js';
import { openFromSettings } from './open-storage.js';

import type { Settings } from './config/settings.js';

export { AppError } from './common/errors/app-error.js';
export type { ErrorCode } from './common/errors/catalog.js';
export type { Database, DatabaseIngestOptions, DatabaseStatus } from './embed/database.js';
export type {
  Annotation,
  AnnotationFilter,
  ChangedAnnotation,
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

/** What is a word or a count. */
type PlainOptions = Partial<
  Pick<Settings, 'timestamp_unit' | 'fsync' | 'max_series' | 'max_series_per_metric'>
>;

type AmountKey =
  | 'fsync_interval_ms'
  | 'memtable_max_bytes'
  | 'flush_interval_ms'
  | 'history_keep_ms'
  | 'memory_limit_bytes'
  | 'max_line_bytes'
  | 'max_body_bytes'
  | 'max_future_skew';

/** Each a number, or as it is written in a settings file: `64MiB`, `10s`. */
type AmountOptions = { readonly [Key in keyof Pick<Settings, AmountKey>]?: number | string };

/** Named, and with the defaults, as in docs/configuration.md. */
export interface OpenOptions extends PlainOptions, AmountOptions {}

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
