/** POST /api/v1/query/compare */

import { aggregates } from '../../model/aggregate.js';
import { timeRange } from '../../model/time-range.js';

import { bodySchema, field, readBody, required } from '../body-schema.js';
import { jsonReply, type Reply } from '../reply.js';
import { selectorFields, selectorOf } from '../selector-fields.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export const compareBody = bodySchema({
  start: required(field.i64('The first timestamp of the current window.')),
  end: required(field.i64('The last timestamp of the current window.')),
  baseline_start: required(field.i64('The first timestamp of the baseline window.')),
  baseline_end: required(field.i64('The last timestamp of the baseline window.')),
  aggregate: required(field.choice(aggregates, 'What to make of the samples of each window.')),
  ...selectorFields,
});

export async function compareRoute(request: Request, context: RouteContext): Promise<Reply> {
  const body = await readBody(request, compareBody);
  const question = {
    selector: selectorOf(body),
    aggregate: body.aggregate,
    current: timeRange(body.start, body.end),
    baseline: timeRange(body.baseline_start, body.baseline_end, 'baseline_'),
  };
  return jsonReply(await context.operations.compare(question));
}
