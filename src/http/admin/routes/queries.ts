/** Lists waiting and running queries, and cancels one. */

import * as json from '../../fields/json-schema.js';
import { parameter, requiredParameter } from '../../fields/query-schema.js';
import { jsonReply } from '../../route/reply.js';

import { adminQuery, adminRoute, noParameters } from '../admin-route.js';

const shared = { scope: 'admin', tag: 'operate' } as const;

const queriesSchema = json.named(
  'RunningQueries',
  json.object({
    queries: json.listOf(
      json.object({
        id: json.count,
        statement: json.said(json.text, 'The first 2,000 characters of the text.'),
        as_of: json.nullable(json.text),
        state: { enum: ['waiting', 'running'] },
        elapsed_ms: json.said(json.count, 'Milliseconds since the request.'),
      }),
    ),
  }),
);

export const listQueries = adminRoute({
  ...shared,
  method: 'GET',
  path: '/__admin/queries',
  summary: 'Waiting and running queries, oldest first.',
  query: noParameters,
  answer: { purpose: 'One item per query that has not ended.', schema: queriesSchema },
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
  summary: 'Cancels a query; its client gets `query_cancelled`.',
  query: adminQuery({ id: requiredParameter(parameter.u64('The id in the list of queries.')) }),
  answer: { purpose: 'The query is being cancelled, or had already ended.', schema: cancelSchema },
  example: { query: { id: '7' }, answer: { status: 'ended' } },
  handler: async ({ query: { id } }, context) =>
    jsonReply(JSON.stringify({ status: (await context.cancelQuery(id)) ? 'cancelled' : 'ended' })),
});
