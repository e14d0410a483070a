/** Samples on their way in. */

import { lineFields } from '../../model/ingest-line.js';
import { timestampUnits } from '../../model/timestamp-unit.js';

import * as json from '../fields/json-schema.js';
import { defaultsTo, parameter, querySchema } from '../fields/query-schema.js';
import { jsonReply } from '../route/reply.js';
import { storeBody } from '../route/stored-body.js';
import { streamedBody } from '../route/route-body.js';
import { publicRoute, type RouteContext } from './public-route.js';
import { ingestLimits } from '../route/ingest-limits.js';

import type { IngestReport } from '../../operations/ingest.js';

const ingestReport = json.named(
  'IngestReport',
  json.object(
    {
      ingested: json.said(json.count, 'Samples stored: a line with three fields counts three.'),
      rejected: json.said(json.count, 'Lines left out; only with `on_error=skip`.'),
      errors: json.said(
        json.listOf(json.object({ line: json.count, code: json.text, error: json.text })),
        'The first ten of them. Lines count from 1.',
      ),
    },
    ['rejected', 'errors'],
  ),
);

const exampleLines = [
  '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000000,"value":0.5}',
  '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000060000,"value":0.25}',
  '{"metric":"http.requests","labels":{"host":"a"},"ts":1700000000000,"value":10,"kind":"counter"}',
  '{"series":"room","tags":{"floor":"1"},"ts":1700000000000,"fields":{"temperature":21.5}}',
];

export const ingest = publicRoute({
  method: 'POST',
  path: '/api/v1/ingest',
  scope: 'write',
  tag: 'write',
  summary: 'Stores samples; whole or not at all, on disk before the answer.',
  query: querySchema({
    precision: parameter.choice(
      timestampUnits,
      'The unit of the timestamps, when it is not that of the database.',
    ),
    on_error: defaultsTo(
      parameter.choice(['skip', 'fail'], '`skip` stores the good lines and reports the bad ones.'),
      'fail',
    ),
  }),
  body: streamedBody({
    mediaType: 'application/x-ndjson',
    purpose: 'One JSON object a line; may be compressed with gzip or zstd.',
    sizeSetting: 'max_body_bytes',
    lineFields,
    sizeMax: ({ maxBodyBytes }: RouteContext) => maxBodyBytes,
  }),
  answer: { purpose: 'How many samples were stored.', schema: ingestReport },
  errors: [
    'invalid_json',
    'invalid_record',
    'metric_descriptor_conflict',
    'line_too_long',
    'series_limit',
    'ingest_backpressure',
    'storage_unavailable',
  ],
  limits: ingestLimits,
  example: { body: `${exampleLines.join('\n')}\n`, answer: { ingested: 4 } },
  handler: async ({ query, body, request }, { operations }) => {
    const ingest = operations.ingest({
      precision: query.precision ?? null,
      isLenient: query.on_error === 'skip',
    });
    const report = await storeBody(request, ingest, (target) =>
      body(target, () => operations.zstdBody()),
    );
    return jsonReply(printReport(report, query));
  },
});

function printReport(
  { ingested, rejected, errors }: IngestReport,
  { on_error: onError }: { readonly on_error: 'skip' | 'fail' },
): string {
  if (onError === 'fail') return `{"ingested":${ingested}}`;
  return JSON.stringify({ ingested, rejected, errors });
}
