/** The samples of one series, by body or by query string. */

import { bodySchema, field, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { rangeOf, type MomentField } from '../fields/moment.js';
import { parameter, querySchema, requiredParameter } from '../fields/query-schema.js';
import { streamReply, type Reply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { asOfErrors, asOfParameter, asOfQuery, asOfReply } from './as-of.js';
import { publicRoute, type RouteContext } from './public-route.js';
import {
  selectorErrors,
  selectorFields,
  selectorOf,
  type SelectorParts,
} from './selector-fields.js';

const sample = json.named(
  'Sample',
  json.object({
    ts: json.i64,
    value: json.said(
      json.nullable(json.number),
      'Null for infinities and NaN, which JSON cannot express.',
    ),
  }),
);

interface RangeRequest extends SelectorParts {
  readonly start: MomentField;
  readonly end: MomentField;
}

function answerRange(
  asked: RangeRequest,
  asOf: string | undefined,
  { operations }: RouteContext,
): Reply | Promise<Reply> {
  const unit = operations.timestampUnit;
  const range = rangeOf(asked.start, asked.end, unit);
  const selector = selectorOf(asked);
  return asOfReply(operations, asOf, () => streamReply(operations.range(selector, range, asOf)));
}

const samples = [
  { ts: 1700000000000, value: 0.5 },
  { ts: 1700000060000, value: 0.25 },
];

const shared = {
  path: '/api/v1/query/range',
  scope: 'read',
  tag: 'read',
  answer: { purpose: 'The samples.', schema: sample, isArray: true },
  limits: ['memory_limit_bytes'],
  errors: [...selectorErrors, 'invalid_time_range', ...asOfErrors],
} as const;

const rangeBody = bodySchema({
  start: required(
    field.moment('The first timestamp, inside the range; as text ISO 8601 or `now-1h`, in UTC.'),
  ),
  end: required(field.moment('The last timestamp, inside the range.')),
  ...selectorFields,
});

export const rangeByBody = publicRoute({
  ...shared,
  method: 'POST',
  summary: 'The samples of one series in a time range, oldest first.',
  query: asOfQuery,
  body: jsonBody(rangeBody, { needsLength: true }),
  example: {
    body: { start: 0, end: 1800000000000, metric: 'cpu.load', labels: { host: 'a' } },
    answer: samples,
  },
  handler: ({ body, query }, context) => answerRange(body, query.as_of, context),
});

const rangeFields = {
  start: requiredParameter(
    parameter.moment('The first timestamp, or a text: ISO 8601, `now-1h` or `today`, in UTC.'),
  ),
  end: requiredParameter(parameter.moment('The last timestamp.')),
  series_id: parameter.u64('The id of the series; takes precedence over `metric` and `series`.'),
  metric: parameter.text('The metric name.'),
  series: parameter.text('The name of a legacy series.'),
  labels: parameter.labels('The exact labels, with `metric`: the text of a JSON object.'),
  tags: parameter.labels('The exact tags, with `series`: the text of a JSON object.'),
  as_of: asOfParameter,
};
const rangeQuery = querySchema(rangeFields, {
  hintOf: (name) => `labels are one parameter: labels={${JSON.stringify(name)}:"…"}`,
});

export const rangeByQuery = publicRoute({
  ...shared,
  method: 'GET',
  summary: 'The same, with the request in the query string.',
  query: rangeQuery,
  example: {
    query: { start: '0', end: '1800000000000', metric: 'cpu.load', labels: '{"host":"a"}' },
    answer: samples,
  },
  handler: ({ query }, context) => answerRange(query, query.as_of, context),
});
