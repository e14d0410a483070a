/** The queries that wait or run: which they are, and an end to one of them. */

import * as json from '../../http/fields/json-schema.js';
import { parameter, requiredParameter } from '../../http/fields/query-schema.js';
import { jsonReply } from '../../http/route/reply.js';

import { adminQuery, adminRoute, noParameters } from '../admin-route.js';

const shared = { scope: 'admin', tag: 'operate' } as const;

const queriesSchema = json.named(
  'RunningQueries',
  json.object({
    queries: json.listOf(
      json.object({
        id: json.count,
        statement: json.said(json.text, 'Its first 2,000 characters.'),
        as_of: json.nullable(json.text),
        state: { enum: ['waiting', 'running'] },
        elapsed_ms: json.said(json.count, 'Since it was asked.'),
      }),
    ),
  }),
);

export const listQueries = adminRoute({
  ...shared,
  method: 'GET',
  path: '/__admin/queries',
  summary: 'The queries in SeriesQL that wait or run, the oldest first.',
  query: noParameters,
  answer: { purpose: 'One for each query that has not ended.', schema: queriesSchema },
  example: { answer: { queries: [] } },
  handler: async (_asked, context) =>
    jsonReply(JSON.stringify({ queries: await context.listQueries() })),
});

const cancelSchema = json.named(
  'QueryCancelled',
  json.object({ status: { enum: ['cancelled', 'ended'] } }),
);

export const cancelQuery = adminRoute({
  ...shared,
  method: 'DELETE',
  path: '/__admin/queries/{id}',
  summary: 'Ends a query; who asked it is told `query_cancelled`.',
  query: adminQuery({ id: requiredParameter(parameter.u64('As the list has it.')) }),
  answer: { purpose: 'It ends, or had ended already.', schema: cancelSchema },
  example: { query: { id: '7' }, answer: { status: 'ended' } },
  handler: async ({ query: { id } }, context) =>
    jsonReply(JSON.stringify({ status: (await context.cancelQuery(id)) ? 'cancelled' : 'ended' })),
});
