/** The routes that say what series, metrics and label values there are. */

import { bodySchema, field, opField, readBody, required } from '../body-schema.js';
import { streamReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

const limit = field.limit('At most so many, after sorting; all if absent.');

export const findIdsBody = bodySchema({
  tags: required(field.labels('Tags that a series has exactly so; none of them finds nothing.')),
  op: opField,
});

export const findSeriesBody = bodySchema({
  metric: required(field.text('The metric name.')),
  labels: field.labels('Labels that a series has exactly so.'),
  op: opField,
  limit,
});

export const findMetricsBody = bodySchema({
  prefix: field.text('How the metric names begin.'),
  labels: field.labels('Labels of the series that count.'),
  limit,
});

export const healthBody = bodySchema({
  prefix: field.text('How the metric names begin.'),
  labels: field.labels('Labels of the series that count.'),
  inactive_before_ts: field.i64('Series with no sample at or after this are inactive.'),
  limit,
});

export const labelValuesBody = bodySchema({
  key: required(field.text('The label key.')),
  metric: field.text('Only values that series of this metric have.'),
  prefix: field.text('How the values begin.'),
  limit,
});

/** POST /api/v1/query/find */
export async function findIdsRoute(request: Request, context: RouteContext): Promise<Reply> {
  const { tags, op } = await readBody(request, findIdsBody);
  return streamReply(context.operations.findSeriesIds(tags, op ?? 'and'));
}

/** POST /api/v1/series/find */
export async function findSeriesRoute(request: Request, context: RouteContext): Promise<Reply> {
  const body = await readBody(request, findSeriesBody);
  return streamReply(context.operations.findSeries({ ...body, op: body.op ?? 'and' }));
}

/** POST /api/v1/metrics/find */
export async function findMetricsRoute(request: Request, context: RouteContext): Promise<Reply> {
  const body = await readBody(request, findMetricsBody);
  return streamReply(context.operations.findMetrics(body));
}

/** POST /api/v1/metrics/health */
export async function metricsHealthRoute(request: Request, context: RouteContext): Promise<Reply> {
  const { inactive_before_ts: inactiveBefore, ...rest } = await readBody(request, healthBody);
  return streamReply(context.operations.metricsHealth({ ...rest, inactiveBefore }));
}

/** POST /api/v1/labels/values */
export async function labelValuesRoute(request: Request, context: RouteContext): Promise<Reply> {
  const body = await readBody(request, labelValuesBody);
  return streamReply(context.operations.labelValues(body));
}
