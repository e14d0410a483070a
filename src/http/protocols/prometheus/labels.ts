/** Routes that list series, labels and label values. */

import { AppError } from '../../../common/errors/app-error.js';
import { milliseconds, type Milliseconds } from '../../../common/model/timestamp-unit.js';
import * as json from '../../fields/json-schema.js';
import { parameter } from '../../fields/query-schema.js';
import { parseSelectors } from '../../../operations/prometheus-text.js';

import { labelNameOf } from './label-name.js';
import {
  answerRead,
  bothWays,
  presentQuery,
  prometheusRoute,
  queryErrors,
  queryFacts,
  type PrometheusContext,
} from './prometheus-route.js';
import { parseLimit, parseOptionalTimeMs } from './times.js';

import type { Reply } from '../../route/reply.js';
import type { Request } from '../../route/request.js';

const facts = {
  ...queryFacts,
  tag: 'discover',
  errors: queryErrors,
  limits: [...queryFacts.limits, 'max_query_series'],
} as const;

const shared = {
  'match[]': parameter.texts('Series selectors; a series must match at least one: `up{job="a"}`.'),
  start: parameter.text(
    'The first time of the range: RFC 3339, or seconds since 1970; all if absent.',
  ),
  end: parameter.text('The last time of the range, inclusive.'),
  limit: parameter.text('Maximum number of results, after sorting; 0 is all.'),
};

interface LabelWishes {
  readonly 'match[]': readonly string[];
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly limit: string | undefined;
}

const optional = ['warnings'] as const;
const status = { const: 'success' };
const textList = json.named(
  'PrometheusTexts',
  json.object({ status, data: json.texts, warnings: json.texts }, optional),
);
const seriesList = json.named(
  'PrometheusSeries',
  json.object({ status, data: json.listOf(json.textMap), warnings: json.texts }, optional),
);

export const series = bothWays({
  ...facts,
  path: '/api/v1/series',
  summary: 'The labels of the series that match a selector and have samples around a time range.',
  query: presentQuery({
    ...shared,
    'match[]': parameter.texts('Series selectors; a series must match at least one. Required.'),
  }),
  answer: {
    purpose: 'The labels of each series, sorted; the metric is `__name__`.',
    schema: seriesList,
  },
  example: {
    query: { 'match[]': '{"cpu.load", host="a"}' },
    answer: { status: 'success', data: [{ __name__: 'cpu.load', host: 'a' }] },
  },
  handler: ({ query, request }, context) => {
    if (query['match[]'].length > 0) return answer('sets', { query, request }, context);
    throw new AppError('invalid_parameter', 'no match[] parameter provided');
  },
});

export const labelNames = bothWays({
  ...facts,
  path: '/api/v1/labels',
  summary: 'All label keys, including `__name__`.',
  query: presentQuery(shared),
  answer: { purpose: 'The keys, sorted.', schema: textList },
  example: {
    query: { 'match[]': '{"cpu.load"}' },
    answer: { status: 'success', data: ['__name__', 'host'] },
  },
  handler: (asked, context) => answer('names', asked, context),
});

export const labelValues = prometheusRoute({
  ...facts,
  method: 'GET',
  path: '/api/v1/label/{name}/values',
  summary: 'The values of a label; of `__name__` the metrics.',
  query: presentQuery({
    name: parameter.text('The key, plain or escaped as `U__host_2e_name`.'),
    ...shared,
  }),
  answer: { purpose: 'The values, sorted.', schema: textList },
  example: {
    query: { name: 'host', 'match[]': '{"cpu.load"}' },
    answer: { status: 'success', data: ['a', 'b'] },
  },
  handler: (asked, context) => answer('values', asked, context),
});

interface AskedOf {
  readonly query: LabelWishes & { readonly name?: string | undefined };
  readonly request: Request;
}

function answer(
  of: 'sets' | 'names' | 'values',
  { query, request }: AskedOf,
  { operations }: PrometheusContext,
): Reply | Promise<Reply> {
  const limit = parseLimit(query.limit);
  const question = {
    of,
    key: labelNameOf(query.name ?? ''),
    selectors: parseSelectors(query['match[]']),
    range: {
      start: timeOf(parseOptionalTimeMs('start', query.start) ?? -Number.MAX_SAFE_INTEGER),
      end: timeOf(parseOptionalTimeMs('end', query.end) ?? Number.MAX_SAFE_INTEGER),
    },
    limit: limit === 0 ? Infinity : limit,
  };
  return answerRead(request, operations.prometheusLabels(question, request));
}

function timeOf(ms: number): Milliseconds<bigint> {
  return milliseconds(BigInt(ms));
}
