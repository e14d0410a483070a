/** The public API, one entry for each row of the route table. */

import { compareBody } from '../routes/compare.js';
import {
  findIdsBody,
  findMetricsBody,
  findSeriesBody,
  healthBody,
  labelValuesBody,
} from '../routes/discovery.js';
import { rangeBody } from '../routes/range.js';

import type { ApiOperation, ApiParameter } from './operation.js';

const i64 = { type: 'integer', format: 'int64' };
const text = { type: 'string' };

const ingestLines = [
  '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000000,"value":0.5}',
  '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000060000,"value":0.25}',
  '{"metric":"http.requests","labels":{"host":"a"},"ts":1700000000000,"value":10,"kind":"counter"}',
  '{"series":"room","tags":{"floor":"1"},"ts":1700000000000,"fields":{"temperature":21.5}}',
];

const rangeParameters: readonly ApiParameter[] = [
  { name: 'start', purpose: 'The first timestamp.', schema: i64, isRequired: true, example: '0' },
  {
    name: 'end',
    purpose: 'The last timestamp.',
    schema: i64,
    isRequired: true,
    example: '1800000000000',
  },
  {
    name: 'series_id',
    purpose: 'The series by its id; counts before `metric` and `series`.',
    schema: { type: 'integer', format: 'uint64', minimum: 0 },
  },
  { name: 'metric', purpose: 'The metric name.', schema: text, example: 'cpu.load' },
  { name: 'series', purpose: 'The name of a legacy series.', schema: text },
  {
    name: 'labels',
    purpose: 'The exact labels, with `metric`: the text of a JSON object.',
    schema: text,
    example: '{"host":"a"}',
  },
  {
    name: 'tags',
    purpose: 'The exact tags, with `series`: the text of a JSON object.',
    schema: text,
  },
];

const rangeErrors = [
  'missing_start',
  'missing_end',
  'missing_selector',
  'invalid_start',
  'invalid_end',
  'invalid_series_id',
  'invalid_labels',
  'invalid_tags',
  'invalid_time_range',
  'ambiguous_selector',
  'storage_corrupt',
] as const;

export const apiOperations: readonly ApiOperation[] = [
  {
    method: 'POST',
    path: '/api/v1/ingest',
    tag: 'write',
    summary: 'Stores samples; whole or not at all, on disk before the answer.',
    parameters: [
      {
        name: 'precision',
        purpose: 'The unit of the timestamps, when it is not that of the database.',
        schema: { enum: ['s', 'ms', 'us', 'ns'] },
      },
      {
        name: 'on_error',
        purpose: '`skip` stores the good lines and reports the bad ones.',
        schema: { enum: ['skip', 'fail'], default: 'fail' },
      },
    ],
    body: {
      kind: 'text',
      mediaType: 'application/x-ndjson',
      purpose: 'One JSON object a line; may be compressed with gzip or zstd.',
      example: `${ingestLines.join('\n')}\n`,
    },
    answer: { purpose: 'How many samples were stored.', schema: 'IngestReport' },
    errors: [
      'invalid_json',
      'invalid_record',
      'invalid_encoding',
      'invalid_precision',
      'invalid_on_error',
      'metric_descriptor_conflict',
      'line_too_long',
      'payload_too_large',
      'unsupported_encoding',
      'series_limit',
      'ingest_backpressure',
      'storage_unavailable',
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/query/range',
    tag: 'read',
    summary: 'The samples of one series in a time range, oldest first.',
    body: {
      kind: 'json',
      schema: rangeBody,
      example: { start: 0, end: 1800000000000, metric: 'cpu.load', labels: { host: 'a' } },
    },
    answer: { purpose: 'The samples.', schema: 'Sample', isArray: true },
    errors: [...rangeErrors, 'invalid_metric', 'invalid_series', 'length_required'],
  },
  {
    method: 'GET',
    path: '/api/v1/query/range',
    tag: 'read',
    summary: 'The same, with the request in the query string.',
    parameters: rangeParameters,
    answer: { purpose: 'The samples.', schema: 'Sample', isArray: true },
    errors: [...rangeErrors, 'invalid_query_string'],
  },
  {
    method: 'POST',
    path: '/api/v1/query/compare',
    tag: 'read',
    summary: 'One aggregate of one series over two time windows.',
    body: {
      kind: 'json',
      schema: compareBody,
      example: {
        start: 1700000060000,
        end: 1800000000000,
        baseline_start: 0,
        baseline_end: 1700000059999,
        aggregate: 'avg',
        metric: 'cpu.load',
      },
    },
    answer: { purpose: 'Both windows and the change between them.', schema: 'CompareResult' },
    errors: [
      ...rangeErrors,
      'invalid_metric',
      'invalid_series',
      'missing_baseline_start',
      'missing_baseline_end',
      'missing_aggregate',
      'invalid_baseline_start',
      'invalid_baseline_end',
      'invalid_aggregate',
      'series_not_found',
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/query/find',
    tag: 'discover',
    summary: 'The ids of the series that have these tags, ascending.',
    body: { kind: 'json', schema: findIdsBody, example: { tags: { host: 'a' }, op: 'and' } },
    answer: { purpose: 'The ids.', schema: 'SeriesId', isArray: true },
    errors: ['missing_tags', 'invalid_tags', 'invalid_op'],
  },
  {
    method: 'POST',
    path: '/api/v1/metrics/find',
    tag: 'discover',
    summary: 'The metrics with at least one matching series, by name.',
    body: {
      kind: 'json',
      schema: findMetricsBody,
      example: { prefix: 'cpu.', labels: { host: 'a' }, limit: 100 },
    },
    answer: { purpose: 'The metrics.', schema: 'MetricDescriptor', isArray: true },
    errors: ['invalid_prefix', 'invalid_labels', 'invalid_limit'],
  },
  {
    method: 'POST',
    path: '/api/v1/series/find',
    tag: 'discover',
    summary: 'The series of a metric that have these labels, by id.',
    body: {
      kind: 'json',
      schema: findSeriesBody,
      example: { metric: 'cpu.load', labels: { host: 'a' }, op: 'and', limit: 100 },
    },
    answer: { purpose: 'The series.', schema: 'SeriesDescriptor', isArray: true },
    errors: ['missing_metric', 'invalid_metric', 'invalid_labels', 'invalid_op', 'invalid_limit'],
  },
  {
    method: 'POST',
    path: '/api/v1/labels/values',
    tag: 'discover',
    summary: 'The values that a label has, sorted.',
    body: {
      kind: 'json',
      schema: labelValuesBody,
      example: { key: 'host', metric: 'cpu.load', prefix: 'a', limit: 100 },
    },
    answer: { purpose: 'The values.', schema: 'LabelValues' },
    errors: ['missing_key', 'invalid_key', 'invalid_metric', 'invalid_prefix', 'invalid_limit'],
  },
  {
    method: 'POST',
    path: '/api/v1/metrics/health',
    tag: 'discover',
    summary: 'How many series of each metric are silent, and what descriptors lack.',
    body: {
      kind: 'json',
      schema: healthBody,
      example: { prefix: '', labels: {}, inactive_before_ts: 1700000000001, limit: 100 },
    },
    answer: { purpose: 'The summaries.', schema: 'MetricHealth', isArray: true },
    errors: ['invalid_prefix', 'invalid_labels', 'invalid_inactive_before_ts', 'invalid_limit'],
  },
  {
    method: 'GET',
    path: '/status',
    tag: 'operate',
    summary: 'How the server is, with its counters.',
    answer: { purpose: 'The snapshot.', schema: 'Status' },
    errors: [],
  },
  {
    method: 'GET',
    path: '/metrics',
    tag: 'operate',
    summary: 'The counters for Prometheus.',
    answer: { purpose: 'Text exposition.', mediaType: 'text/plain' },
    errors: [],
  },
  {
    method: 'GET',
    path: '/healthz',
    tag: 'operate',
    summary: 'The process lives.',
    answer: { purpose: 'Always this.', schema: 'Health' },
    errors: [],
  },
  {
    method: 'GET',
    path: '/readyz',
    tag: 'operate',
    summary: 'The database is recovered and takes writes; 503 with the reasons when it does not.',
    answer: { purpose: 'Ready.', schema: 'Health' },
    errors: [],
  },
  {
    method: 'GET',
    path: '/debug/compat/stats',
    tag: 'operate',
    summary: 'How much the older forms of the API are used.',
    answer: { purpose: 'Counters since the start.', schema: 'CompatStats' },
    errors: [],
  },
  {
    method: 'GET',
    path: '/debug/alloc/stats',
    tag: 'operate',
    summary: 'The pool of small blocks; 404 unless `allocator` is `small_pool`.',
    answer: { purpose: 'A row for each size of block.', schema: 'AllocStats' },
    errors: ['not_found'],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    tag: 'operate',
    summary: 'This description.',
    answer: { purpose: 'An OpenAPI 3.1 document.' },
    errors: [],
  },
];
