/** The routes that say what series, metrics and label values there are. */

import { bodySchema, field, opField, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { streamReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { asOfErrors, asOfQuery } from './as-of.js';
import { publicRoute } from './public-route.js';

const limit = field.limit('At most so many, after sorting; all if absent.');

const afterMetric = field.text(
  'Only metrics behind this name: the last one of an answer, to go on where `limit` cut it.',
);

const seriesId = json.named('SeriesId', json.seriesIdSchema);

const findIdsBody = bodySchema({
  tags: required(field.labels('Tags that a series has exactly so; none of them finds nothing.')),
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
  prefix: field.text('How the metric names begin.'),
  labels: field.labels('Labels of the series that count.'),
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
    streamReply(operations.findMetrics(body, query.as_of)),
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
  labels: field.labels('Labels that a series has exactly so.'),
  op: opField,
  after: field.u64('Only series behind this id: the last one of an answer, to go on.'),
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
    streamReply(operations.findSeries({ ...body, op: body.op ?? 'and' }, query.as_of)),
});

const labelValuesSchema = json.named(
  'LabelValues',
  json.object({ values: json.texts, series_counts: json.listOf(json.count) }, ['series_counts']),
);

const labelValuesBody = bodySchema({
  key: required(field.text('The label key.')),
  metric: field.text('Only values that series of this metric have.'),
  labels: field.labels('Only values that series with these labels have.'),
  prefix: field.text('How the values begin.'),
  counted: field.choice(
    ['value', 'series_count'],
    'Also how many series have each value, in `series_counts`: in the order of values, or the ' +
      'most frequent first.',
  ),
  after: field.text('Only values behind this one: the last one of an answer, to go on.'),
  limit,
});

export const labelValues = publicRoute({
  method: 'POST',
  path: '/api/v1/labels/values',
  scope: 'read',
  tag: 'discover',
  summary: 'The values that a label has, sorted.',
  body: jsonBody(labelValuesBody),
  answer: { purpose: 'The values.', schema: labelValuesSchema },
  example: {
    body: { key: 'host', metric: 'cpu.load', prefix: 'a', limit: 100 },
    answer: { values: ['a'] },
  },
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
  prefix: field.text('How the metric names begin.'),
  labels: field.labels('Labels of the series that count.'),
  inactive_before_ts: field.i64('Series with no sample at or after this are inactive.'),
  only: field.choice(
    ['inactive', 'undocumented'],
    'Metrics with an inactive series, or whose descriptor lacks something; all if absent.',
  ),
  sort: field.choice(
    ['series_count', 'inactive_series_count', 'last_ts'],
    'The highest first, of `last_ts` the lowest; by name if absent, and among equals.',
  ),
  after: afterMetric,
  limit,
});

export const metricsHealth = publicRoute({
  method: 'POST',
  path: '/api/v1/metrics/health',
  scope: 'read',
  tag: 'discover',
  summary: 'How many series of each metric are silent, and what descriptors lack.',
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
    streamReply(operations.metricsHealth({ ...rest, inactiveBefore }, query.as_of)),
});
