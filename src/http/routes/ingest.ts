/** Ingest of samples. */

import { lineFields, lineProtocolOf } from '../../common/model/ingest-line.js';
import { timestampUnits, type DatabaseTime } from '../../common/model/timestamp-unit.js';

import { AppError } from '../../common/errors/app-error.js';
import { defaultsTo, parameter, querySchema } from '../fields/query-schema.js';
import { jsonReply } from '../route/reply.js';
import { samplesBody } from '../route/stored-body.js';
import { ingestReport, onError, printReport, storingLimits } from '../route/stored-report.js';
import { writeErrors } from '../route/write-errors.js';
import { publicRoute } from './public-route.js';

import type { Operations } from '../../operations/operations.js';

type BodyForm = Pick<Parameters<Operations['ingest']>[0], 'format'>;

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
      format: defaultsTo(
        parameter.choice(
          ['ndjson', 'influx'],
          'The format of the body; `influx` is line protocol.',
        ),
        'ndjson',
      ),
      at: parameter.ts(
        'With `format=influx`: the time of lines without one, in the database’s unit; default: the time of arrival.',
      ),
    },
    { refusesUnknown: true },
  ),
  body: samplesBody({
    mediaType: 'application/x-ndjson',
    purpose:
      'One JSON object per line, or line protocol; may be compressed with gzip, zstd or snappy.',
    lineFields,
  }),
  answer: { purpose: 'The number of stored samples.', schema: ingestReport },
  errors: [
    'invalid_json',
    'invalid_record',
    'metric_descriptor_conflict',
    'line_too_long',
    'series_limit',
    ...writeErrors,
  ],
  limits: storingLimits,
  example: { body: `${exampleLines.join('\n')}\n`, answer: { ingested: 4 } },
  handler: ({ query, body }, { operations }) => {
    const ingest = operations.ingest({
      precision: query.precision ?? operations.timestampUnit,
      isLenient: query.on_error === 'skip',
      ...formatOf(query),
    });
    return body(ingest).map((report) => jsonReply(printReport(report, query.on_error)));
  },
});

interface FormatWishes {
  readonly format: 'ndjson' | 'influx';
  readonly at: DatabaseTime | undefined;
}

function formatOf({ format, at }: FormatWishes): BodyForm {
  if (format === 'influx') return { format: lineProtocolOf(at) };
  if (at === undefined) return {};
  throw new AppError('invalid_at', 'at needs format=influx; a line of JSON has "ts"');
}
