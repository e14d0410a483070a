/** One aggregate over two time windows. */

import { aggregates } from '../../common/model/aggregate.js';
import { timeRange } from '../../common/model/time-range.js';

import { bodySchema, field, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { jsonReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { publicRoute } from './public-route.js';
import { selectorErrors, selectorFields, selectorOf } from './selector-fields.js';

const window = json.object({
  start: json.i64,
  end: json.i64,
  samples: json.count,
  value: json.said(json.nullable(json.number), 'Null if the window has no number.'),
});

const compareResult = json.named(
  'CompareResult',
  json.object(
    {
      series_id: json.seriesIdSchema,
      metric: json.text,
      labels: json.textMap,
      aggregate: { enum: aggregates },
      metric_kind: json.metricKind,
      current: window,
      baseline: window,
      change_abs: json.nullable(json.number),
      change_pct: json.nullable(json.number),
    },
    ['metric', 'labels'],
  ),
);

const compareBody = bodySchema({
  start: required(field.ts('The first timestamp of the current window.')),
  end: required(field.ts('The last timestamp of the current window.')),
  baseline_start: required(field.ts('The first timestamp of the baseline window.')),
  baseline_end: required(field.ts('The last timestamp of the baseline window.')),
  aggregate: required(field.choice(aggregates, 'The aggregate of the samples of each window.')),
  ...selectorFields,
});

export const compare = publicRoute({
  method: 'POST',
  path: '/api/v1/query/compare',
  scope: 'read',
  tag: 'read',
  summary: 'One aggregate of one series over two time windows.',
  body: jsonBody(compareBody),
  answer: { purpose: 'Both windows and the change between them.', schema: compareResult },
  errors: [...selectorErrors, 'invalid_time_range', 'series_not_found', 'storage_corrupt'],
  example: {
    body: {
      start: 1700000060000,
      end: 1800000000000,
      baseline_start: 0,
      baseline_end: 1700000059999,
      aggregate: 'avg',
      metric: 'cpu.load',
    },
    answer: {
      series_id: 1174716407819148,
      metric: 'cpu.load',
      labels: { host: 'a' },
      aggregate: 'avg',
      metric_kind: 'gauge',
      current: { start: 1700000060000, end: 1800000000000, samples: 1, value: 0.25 },
      baseline: { start: 0, end: 1700000059999, samples: 1, value: 0.5 },
      change_abs: -0.25,
      change_pct: -50,
    },
  },
  handler: async ({ body }, { operations }) => {
    const question = {
      selector: selectorOf(body),
      aggregate: body.aggregate,
      current: timeRange(body.start, body.end),
      baseline: timeRange(body.baseline_start, body.baseline_end, 'baseline_'),
    };
    return jsonReply(await operations.compare(question));
  },
});
