/** Probes that InfluxDB clients send before and between writes. */

import * as json from '../../fields/json-schema.js';
import { parseParameters } from '../../fields/parameters.js';
import { parameter, querySchema } from '../../fields/query-schema.js';
import { emptyReply, jsonReply, type Reply } from '../../route/reply.js';
import { formBody } from '../../route/route-body.js';
import { influx1, influxHeaders } from './dialect.js';
import { influxRoute, type InfluxContext } from './influx-route.js';
import { answerInfluxql } from './influxql-stub.js';

export const ping = influxRoute({
  method: 'GET',
  path: '/ping',
  scope: 'public',
  protocol: influx1,
  tag: 'operate',
  summary: 'The server is reachable; `verbose=true` returns its version in a body, with 200.',
  query: querySchema({ verbose: parameter.text('`true` returns a body.') }),
  answer: { status: 204, purpose: 'Always this.' },
  example: { answer: '' },
  handler: ({ query: { verbose = '' } }, { operations: { version } }) => {
    const headers = influxHeaders(version);
    if (verbose === '' || verbose === '0' || verbose === 'false') return emptyReply(headers);
    return { ...jsonReply(JSON.stringify({ version: `1.8-seriesdb/${version}` })), headers };
  },
});

const clientSettings = json.named(
  'InfluxSettings',
  json.object({
    config: json.object({ 'line.proto.support.versions': json.listOf({ type: 'integer' }) }),
  }),
);

/** QuestDB's client requests this without credentials and accepts only 200 with JSON. */
export const settings = influxRoute({
  method: 'GET',
  path: '/settings',
  scope: 'public',
  protocol: influx1,
  tag: 'operate',
  summary: 'Versions of line protocol that QuestDB’s clients may send.',
  answer: { purpose: 'Version 1, the plain one.', schema: clientSettings },
  example: { answer: { config: { 'line.proto.support.versions': [1] } } },
  handler: (_asked, { operations: { version } }) => ({
    ...jsonReply('{"config":{"line.proto.support.versions":[1]}}'),
    headers: influxHeaders(version),
  }),
});

const queryFields = querySchema({
  q: parameter.text('The statement: `CREATE DATABASE …`, `SHOW DATABASES`.'),
  db: parameter.text('Accepted, and ignored.'),
  u: parameter.text('Accepted, and ignored.'),
  p: parameter.text('The token, for clients that cannot send it in a header.'),
});
const queryFacts = {
  path: '/query',
  scope: 'token',
  protocol: influx1,
  tag: 'operate',
  summary: 'Answers the InfluxQL statements that clients send before they write, and no others.',
  query: queryFields,
  answer: { purpose: 'One result per statement.' },
  errors: ['query_required', 'unsupported_statement'],
} as const;

export const queryByUrl = influxRoute({
  ...queryFacts,
  method: 'GET',
  example: {
    query: { q: 'SHOW DATABASES' },
    answer: {
      results: [
        {
          statement_id: 0,
          series: [{ name: 'databases', columns: ['name'], values: [['seriesdb']] }],
        },
      ],
    },
  },
  handler: ({ query: { q = '' } }, context) => answer(q, context),
});

export const queryByForm = influxRoute({
  ...queryFacts,
  method: 'POST',
  body: formBody('A form with the statement as `q`; it takes precedence over the query string.'),
  errors: [...queryFacts.errors, 'payload_too_large'],
  example: {
    body: 'q=CREATE+DATABASE+telegraf',
    answer: { results: [{ statement_id: 0 }] },
  },
  handler: ({ query: { q = '' }, body }, context) =>
    answer(parseParameters(body).get('q') ?? q, context),
});

function answer(text: string, { operations: { version } }: InfluxContext): Reply {
  return { ...jsonReply(answerInfluxql(text)), headers: influxHeaders(version) };
}
