/** Routes that list series, metrics and label values. */

import { bodySchema, field, opField, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { streamReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { asOfErrors, asOfQuery, asOfReply } from './as-of.js';
import { publicRoute } from './public-route.js';

const limit = field.limit('Maximum number of results, after sorting; all if absent.');

const afterMetric = field.text(
  'Only metrics after this name: pass the last name of an answer that `limit` cut to get the next ones.',
);

const seriesId = json.named('SeriesId', json.seriesIdSchema);

const findIdsBody = bodySchema({
  tags: required(field.labels('Exact tags of the series; an empty object finds nothing.')),
  op: opField,
});

export const findIds = publicRoute({
  method: 'POST',
  path: '/api/v1/query/find',
  scope: 'read',
  tag: 'discover',
  summary: 'The ids of the series that have these tags, ascending.',
  body: jsonBody(findIdsBody),
  answer: { purpose: 'The ids.', schema: seriesId, isArray: true },
  example: {
    body: { tags: { host: 'a' }, op: 'and' },
    answer: [1174716407819148, 7320507002806620],
  },
  limits: ['memory_limit_bytes'],
  errors: ['query_limit_exceeded'],
  handler: ({ body: { tags, op } }, { operations }) =>
    streamReply(operations.findSeriesIds(tags, op ?? 'and')),
});

export const metricDescriptor = json.named(
  'MetricDescriptor',
  json.object(
    {
      metric: json.text,
      kind: json.metricKind,
      unit: json.text,
      description: json.text,
      series_count: json.count,
      label_keys: json.texts,
      first_ts: json.nullable(json.i64),
      last_ts: json.nullable(json.i64),
    },
    ['unit', 'description'],
  ),
);

const findMetricsBody = bodySchema({
  prefix: field.text('Prefix of the metric names.'),
  labels: field.labels('Only series with these labels.'),
  after: afterMetric,
  limit,
});

export const findMetrics = publicRoute({
  method: 'POST',
  path: '/api/v1/metrics/find',
  scope: 'read',
  tag: 'discover',
  summary: 'The metrics with at least one matching series, by name.',
  query: asOfQuery,
  body: jsonBody(findMetricsBody),
  answer: { purpose: 'The metrics.', schema: metricDescriptor, isArray: true },
  example: {
    body: { prefix: 'cpu.', labels: { host: 'a' }, limit: 100 },
    answer: [
      {
        metric: 'cpu.load',
        kind: 'gauge',
        series_count: 1,
        label_keys: ['host'],
        first_ts: 1700000000000,
        last_ts: 1700000060000,
      },
    ],
  },
  limits: ['memory_limit_bytes'],
  errors: asOfErrors,
  handler: ({ body, query }, { operations }) =>
    asOfReply(operations, query.as_of, () =>
      streamReply(operations.findMetrics(body, query.as_of)),
    ),
});

const seriesDescriptor = json.named(
  'SeriesDescriptor',
  json.object({
    series_id: json.seriesIdSchema,
    metric: json.text,
    labels: json.textMap,
    first_ts: json.nullable(json.i64),
    last_ts: json.nullable(json.i64),
  }),
);

const findSeriesBody = bodySchema({
  metric: required(field.text('The metric name.')),
  labels: field.labels('Exact labels of the series.'),
  op: opField,
  after: field.u64(
    'Only series after this id: pass the last id of an answer to get the next ones.',
  ),
  limit,
});

export const findSeries = publicRoute({
  method: 'POST',
  path: '/api/v1/series/find',
  scope: 'read',
  tag: 'discover',
  summary: 'The series of a metric that have these labels, by id.',
  query: asOfQuery,
  body: jsonBody(findSeriesBody),
  answer: { purpose: 'The series.', schema: seriesDescriptor, isArray: true },
  example: {
    body: { metric: 'cpu.load', labels: { host: 'a' }, op: 'and', limit: 100 },
    answer: [
      {
        series_id: 1174716407819148,
        metric: 'cpu.load',
        labels: { host: 'a' },
        first_ts: 1700000000000,
        last_ts: 1700000060000,
      },
    ],
  },
  limits: ['memory_limit_bytes'],
  errors: asOfErrors,
  handler: ({ body, query }, { operations }) =>
    asOfReply(operations, query.as_of, () =>
      streamReply(operations.findSeries({ ...body, op: body.op ?? 'and' }, query.as_of)),
    ),
});

const labelValuesSchema = json.named(
  'LabelValues',
  json.object({ values: json.texts, series_counts: json.listOf(json.count) }, ['series_counts']),
);

const labelValuesBody = bodySchema({
  key: required(field.text('The label key.')),
  metric: field.text('Only values of series of this metric.'),
  labels: field.labels('Only values of series with these labels.'),
  prefix: field.text('Prefix of the values.'),
  counted: field.choice(
    ['value', 'series_count'],
    'Also return the number of series per value in `series_counts`, sorted by value, or by count, highest first.',
  ),
  after: field.text(
    'Only values after this one: pass the last value of an answer to get the next ones.',
  ),
  limit,
});

export const labelValues = publicRoute({
  method: 'POST',
  path: '/api/v1/labels/values',
  scope: 'read',
  tag: 'discover',
  summary: 'The values of a label, sorted.',
  body: jsonBody(labelValuesBody),
  answer: { purpose: 'The values.', schema: labelValuesSchema },
  example: {
    body: { key: 'host', metric: 'cpu.load', prefix: 'a', limit: 100 },
    answer: { values: ['a'] },
  },
  limits: ['memory_limit_bytes'],
  errors: ['query_limit_exceeded'],
  handler: ({ body }, { operations }) => streamReply(operations.labelValues(body)),
});

const metricHealth = json.named(
  'MetricHealth',
  json.object({
    metric: json.text,
    kind: json.metricKind,
    series_count: json.count,
    inactive_series_count: json.count,
    inactive: json.flag,
    label_keys: json.texts,
    missing_metadata: json.listOf({ enum: ['kind', 'unit', 'description'] }),
    first_ts: json.nullable(json.i64),
    last_ts: json.nullable(json.i64),
  }),
);

const healthBody = bodySchema({
  prefix: field.text('Prefix of the metric names.'),
  labels: field.labels('Only series with these labels.'),
  inactive_before_ts: field.ts('Series without a sample at or after this timestamp are inactive.'),
  only: field.choice(
    ['inactive', 'undocumented'],
    'Only metrics with an inactive series, or with an incomplete descriptor; all if absent.',
  ),
  sort: field.choice(
    ['series_count', 'inactive_series_count', 'last_ts'],
    'Sort key, highest first; `last_ts` lowest first. By name if absent, and among equals.',
  ),
  after: afterMetric,
  limit,
});

export const metricsHealth = publicRoute({
  method: 'POST',
  path: '/api/v1/metrics/health',
  scope: 'read',
  tag: 'discover',
  summary: 'Silent series of each metric, and missing parts of descriptors.',
  query: asOfQuery,
  body: jsonBody(healthBody),
  answer: { purpose: 'The summaries.', schema: metricHealth, isArray: true },
  example: {
    body: { prefix: 'cpu', labels: {}, inactive_before_ts: 1700000000001, limit: 100 },
    answer: [
      {
        metric: 'cpu.load',
        kind: 'gauge',
        series_count: 1,
        inactive_series_count: 0,
        inactive: false,
        label_keys: ['host'],
        missing_metadata: ['kind', 'unit', 'description'],
        first_ts: 1700000000000,
        last_ts: 1700000060000,
      },
    ],
  },
  limits: ['memory_limit_bytes'],
  errors: asOfErrors,
  handler: ({ body: { inactive_before_ts: inactiveBefore, ...rest }, query }, { operations }) =>
    asOfReply(operations, query.as_of, () =>
      streamReply(operations.metricsHealth({ ...rest, inactiveBefore }, query.as_of)),
    ),
});
