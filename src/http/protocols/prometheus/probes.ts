/** Routes that Prometheus clients call besides queries and discovery. */

import { AppError } from '../../../common/errors/app-error.js';
import * as json from '../../fields/json-schema.js';
import { parameter, querySchema } from '../../fields/query-schema.js';
import { asParameter, formatPromql } from '../../../operations/prometheus-text.js';

import { prometheus } from './dialect.js';
import { answerRead, bothWays, prometheusRoute, queryFacts, success } from './prometheus-route.js';
import { parseOptionalTimeMs } from './times.js';

const facts = { protocol: prometheus, scope: 'read', tag: 'operate' } as const;
const ignored = 'Accepted, and ignored.';
const expression = parameter.text('The expression.');

export const metadata = prometheusRoute({
  ...queryFacts,
  method: 'GET',
  path: '/api/v1/metadata',
  tag: 'discover',
  summary: 'Descriptors of metrics: kind, description and unit.',
  query: querySchema({
    metric: parameter.text('Only this metric.'),
    limit: parameter.text('Maximum number of metrics; below 0 is all.'),
    limit_per_metric: parameter.text('A number; each metric has one description.'),
  }),
  answer: { purpose: 'A list of one descriptor per metric.' },
  errors: ['invalid_parameter', 'query_timeout', 'query_cancelled', 'too_many_queries'],
  example: { query: { metric: 'cpu.load' }, answer: { status: 'success', data: {} } },
  handler: ({ query: { metric = '', ...limits }, request }, { operations }) => {
    const limit = metadataLimit('limit', limits.limit);
    metadataLimit('limit_per_metric', limits.limit_per_metric);
    const asked = { metric: metric === '' ? undefined : metric, limit };
    return answerRead(request, operations.prometheusMetadata(asked, request));
  },
});

function metadataLimit(name: string, text = ''): number {
  if (text === '') return Infinity;
  if (!/^[+-]?\d+$/.test(text)) throw new AppError('invalid_parameter', `${name} must be a number`);
  return Number(text) < 0 ? Infinity : Number(text);
}

export const formatQuery = bothWays({
  ...facts,
  path: '/api/v1/format_query',
  tag: 'query',
  summary: 'Formats a PromQL expression.',
  query: querySchema({ query: expression }),
  answer: { purpose: 'The text.' },
  errors: ['parse_failed'],
  example: {
    query: { query: 'sum(up)by(job)' },
    answer: { status: 'success', data: 'sum by (job) (up)' },
  },
  handler: ({ query: { query = '' } }) => success(asParameter('query', () => formatPromql(query))),
});

export const buildInfo = prometheusRoute({
  ...facts,
  method: 'GET',
  path: '/api/v1/status/buildinfo',
  summary: 'The version of Prometheus’ API, and the server’s version.',
  answer: { purpose: 'Build information in Prometheus’ format.' },
  example: {
    answer: { status: 'success', data: { application: 'seriesdb', revision: '', goVersion: '' } },
    isSketch: true,
  },
  handler: (_asked, { operations: { version } }) =>
    success({
      version: `3.5.0-seriesdb-${version}`,
      ...{ revision: '', branch: '', buildUser: '', buildDate: '', goVersion: '' },
      application: 'seriesdb',
    }),
});

export const rules = prometheusRoute({
  ...facts,
  method: 'GET',
  path: '/api/v1/rules',
  summary: 'An empty list of rules.',
  answer: { purpose: 'No groups.' },
  example: { answer: { status: 'success', data: { groups: [] } } },
  handler: () => success({ groups: [] }),
});

export const alerts = prometheusRoute({
  ...facts,
  method: 'GET',
  path: '/api/v1/alerts',
  summary: 'An empty list of alerts.',
  answer: { purpose: 'No alerts.' },
  example: { answer: { status: 'success', data: { alerts: [] } } },
  handler: () => success({ alerts: [] }),
});

const exemplarList = json.named(
  'PrometheusExemplars',
  json.object({ status: { const: 'success' }, data: { type: 'array', items: {} } }),
);

export const queryExemplars = bothWays({
  ...facts,
  path: '/api/v1/query_exemplars',
  tag: 'query',
  summary: 'An empty list of exemplars.',
  query: querySchema({
    query: expression,
    start: parameter.text(ignored),
    end: parameter.text(ignored),
  }),
  answer: { purpose: 'An empty list.', schema: exemplarList },
  errors: ['parse_failed', 'invalid_parameter'],
  example: { query: { query: 'up' }, answer: { status: 'success', data: [] } },
  handler: ({ query: { query = '', start, end } }) => {
    const from = parseOptionalTimeMs('start', start) ?? -Infinity;
    if (from > (parseOptionalTimeMs('end', end) ?? Infinity)) {
      const message = 'end timestamp must not be before start timestamp';
      throw new AppError('invalid_parameter', message);
    }
    formatPromql(query);
    return success([]);
  },
});
