/** The JSON that the API answers, as JSON Schema. Keys are the names under `components`. */

import { timestampUnits } from '../../model/timestamp-unit.js';

import type { JsonSchema } from '../body-schema.js';

const i64 = { type: 'integer', format: 'int64' };
const count = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const texts = { type: 'array', items: text };
const number = { type: 'number' };
const textMap = { type: 'object', additionalProperties: text };
const nullable = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema['type'], 'null'],
});

/** An object whose members are all required, but for those named in `optional`. */
function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', properties, required };
}

const seriesId = { type: 'integer', format: 'uint64', minimum: 0 };
const metricKind = { enum: ['gauge', 'counter'] };
const window = object({ start: i64, end: i64, samples: count, value: nullable(number) });

const milliseconds = { type: 'number', minimum: 0 };
/** docs/seriesql.md says what each means. */
const queryStats = object(
  {
    parse_ms: milliseconds,
    validate_ms: milliseconds,
    plan_ms: milliseconds,
    execute_ms: milliseconds,
    rows_emitted: count,
    rows_scanned: count,
    series_scanned: count,
    chunks_scanned: count,
    chunks_skipped: count,
    bytes_read: count,
    execution_mode: { enum: ['legacy', 'shadow', 'compiled'] },
    legacy_fallback: { type: 'boolean' },
    fallback_reason: text,
    selector_mode: { enum: ['exact', 'metric_family', 'none'] },
    selected_series_count: count,
    operators: {
      type: 'array',
      items: object({ name: text, rows_out: count, elapsed_ms: milliseconds }),
    },
  },
  ['fallback_reason', 'operators'],
);

export const answerSchemas = {
  Error: object({ error: text, code: text, status: { type: 'integer' } }),
  SeriesId: seriesId,
  Sample: object({ ts: i64, value: nullable(number) }),
  IngestReport: object(
    {
      ingested: count,
      rejected: count,
      errors: { type: 'array', items: object({ line: count, code: text, error: text }) },
    },
    ['rejected', 'errors'],
  ),
  MetricDescriptor: object(
    {
      metric: text,
      kind: metricKind,
      unit: text,
      description: text,
      series_count: count,
      label_keys: texts,
      first_ts: nullable(i64),
      last_ts: nullable(i64),
    },
    ['unit', 'description'],
  ),
  SeriesDescriptor: object({
    series_id: seriesId,
    metric: text,
    labels: textMap,
    first_ts: nullable(i64),
    last_ts: nullable(i64),
  }),
  LabelValues: object({ values: texts }),
  MetricHealth: object({
    metric: text,
    kind: metricKind,
    series_count: count,
    inactive_series_count: count,
    inactive: { type: 'boolean' },
    label_keys: texts,
    missing_metadata: { type: 'array', items: { enum: ['kind', 'unit', 'description'] } },
    first_ts: nullable(i64),
    last_ts: nullable(i64),
  }),
  CompareResult: object(
    {
      series_id: seriesId,
      metric: text,
      labels: textMap,
      aggregate: text,
      metric_kind: metricKind,
      current: window,
      baseline: window,
      change_abs: nullable(number),
      change_pct: nullable(number),
    },
    ['metric', 'labels'],
  ),
  Annotation: object(
    {
      id: { type: 'integer', minimum: 1 },
      kind: text,
      title: text,
      message: text,
      metric: text,
      start: i64,
      end: i64,
      labels: textMap,
    },
    ['message', 'metric'],
  ),
  QueryResult: object({
    columns: {
      type: 'array',
      items: object({ name: text, type: text, nullable: { type: 'boolean' } }),
    },
    rows: { type: 'array', items: { type: 'array' } },
    stats: queryStats,
  }),
  Status: object(
    {
      status: { enum: ['ok', 'degraded'] },
      reasons: texts,
      warnings: texts,
      version: text,
      timestamp_unit: { enum: [...timestampUnits] },
      auth_required: { type: 'boolean' },
      uptime_seconds: number,
      cas_mode: { enum: ['off', 'dual_write'] },
      metadata_read_mode: { enum: ['legacy', 'shadow', 'primary'] },
      query_compiler_mode: { enum: ['legacy', 'shadow', 'compiled'] },
      compatibility_debt: { type: 'object', additionalProperties: number },
      runtime: { type: 'object', additionalProperties: number },
      memory: { type: 'object', additionalProperties: number },
    },
    ['reasons', 'warnings'],
  ),
  CompatCatalog: object({
    namespaces: { type: 'array', items: object({ name: text }) },
    types: { type: 'array', items: object({ name: text, meaning: text }) },
    classes: { type: 'array', items: { $ref: '#/components/schemas/MetricDescriptor' } },
    attributes: { type: 'array', items: object({ class: text, name: text, type: text }) },
  }),
  CompatStats: object({
    legacy_ingest_lines: count,
    legacy_selector_queries: count,
    translations: count,
    fallbacks: count,
    cache_hits: count,
  }),
  AllocStats: object({
    allocator: { const: 'small_pool' },
    classes: {
      type: 'array',
      items: object({
        size: count,
        allocations: count,
        in_use: count,
        high_water: count,
        refills: count,
        slabs: count,
      }),
    },
  }),
  Health: object({ status: { enum: ['ok', 'degraded'] }, reasons: texts }, ['reasons']),
} as const satisfies Readonly<Record<string, JsonSchema>>;

export type AnswerSchemaName = keyof typeof answerSchemas;
