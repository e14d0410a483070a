/** Ingest of samples. */

import { lineFields } from '../../common/model/ingest-line.js';
import { timestampUnits } from '../../common/model/timestamp-unit.js';

import { parameter, querySchema } from '../fields/query-schema.js';
import { jsonReply } from '../route/reply.js';
import { samplesBody } from '../route/stored-body.js';
import { ingestReport, onError, printReport, storingLimits } from '../route/stored-report.js';
import { publicRoute } from './public-route.js';

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
  summary: 'Stores samples, all or nothing; on disk before the answer.',
  query: querySchema(
    {
      precision: parameter.choice(
        timestampUnits,
        'Unit of the timestamps; default: the database’s.',
      ),
      on_error: onError,
    },
    { refusesUnknown: true },
  ),
  body: samplesBody({
    mediaType: 'application/x-ndjson',
    purpose: 'One JSON object per line; may be compressed with gzip, zstd or snappy.',
    lineFields,
  }),
  answer: { purpose: 'The number of stored samples.', schema: ingestReport },
  errors: [
    'invalid_json',
    'invalid_record',
    'metric_descriptor_conflict',
    'line_too_long',
    'series_limit',
    'ingest_backpressure',
    'storage_unavailable',
  ],
  limits: storingLimits,
  example: { body: `${exampleLines.join('\n')}\n`, answer: { ingested: 4 } },
  handler: ({ query, body }, { operations }) => {
    const ingest = operations.ingest({
      precision: query.precision ?? operations.timestampUnit,
      isLenient: query.on_error === 'skip',
    });
    return body(ingest).map((report) => jsonReply(printReport(report, query.on_error)));
  },
});
