/** The route that tells which metrics have the most series. */

import { AppError } from '../../../common/errors/app-error.js';
import * as json from '../../fields/json-schema.js';
import { parameter } from '../../fields/query-schema.js';

import { answerRead, presentQuery, prometheusRoute, queryFacts } from './prometheus-route.js';

const kLimitDefault = 10;
const kLimitMax = 10_000;

const counts = json.listOf(json.object({ name: json.text, value: json.count }));
const noCounts = json.said(counts, 'Empty: the index has no such count.');
const noCount = json.said(json.count, '0: not counted.');

const schema = json.named(
  'PrometheusTsdbStatus',
  json.object({
    status: { const: 'success' },
    data: json.object({
      headStats: json.object({
        numSeries: json.said(json.count, 'Series of the database, not only of a head block.'),
        numLabelPairs: noCount,
        chunkCount: noCount,
        minTime: json.said(json.number, 'Milliseconds of the first sample; 0 if there is none.'),
        maxTime: json.said(json.number, 'Milliseconds of the last sample; 0 if there is none.'),
      }),
      seriesCountByMetricName: json.said(counts, 'Metrics with the most series, these first.'),
      labelValueCountByLabelName: noCounts,
      memoryInBytesByLabelName: noCounts,
      seriesCountByLabelValuePair: noCounts,
    }),
  }),
);

export const tsdbStatus = prometheusRoute({
  ...queryFacts,
  method: 'GET',
  path: '/api/v1/status/tsdb',
  tag: 'discover',
  summary: 'The metrics with the most series, and the number and times of all series.',
  query: presentQuery({
    limit: parameter.text('Maximum number of metrics, 1 to 10000; 10 if absent.'),
  }),
  answer: { purpose: 'The counts; of a bound token, those of its series.', schema },
  errors: ['invalid_parameter', 'query_timeout', 'query_cancelled', 'too_many_queries'],
  example: {
    query: { limit: '1' },
    answer: {
      status: 'success',
      data: {
        headStats: {
          numSeries: 5,
          numLabelPairs: 0,
          chunkCount: 0,
          minTime: 1700000000000,
          maxTime: 1700000060000,
        },
        seriesCountByMetricName: [{ name: 'cpu.load', value: 2 }],
        labelValueCountByLabelName: [],
        memoryInBytesByLabelName: [],
        seriesCountByLabelValuePair: [],
      },
    },
    isSketch: true,
  },
  handler: ({ query, request }, { operations }) =>
    answerRead(request, operations.tsdbStatus({ limit: limitOf(query.limit) }, request)),
});

/** Throws `invalid_parameter` in Prometheus' words. */
function limitOf(text = ''): number {
  if (text === '') return kLimitDefault;
  const limit = /^\+?\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new AppError('invalid_parameter', 'limit must be a positive number');
  if (limit <= kLimitMax) return limit;
  throw new AppError('invalid_parameter', `limit must not exceed ${kLimitMax}`);
}
