/** Ingest of line protocol, on the paths of both versions of InfluxDB. */

import { AppError } from '../../../common/errors/app-error.js';
import { defaultsTo, parameter, querySchema } from '../../fields/query-schema.js';
import { emptyReply } from '../../route/reply.js';
import { samplesBody } from '../../route/stored-body.js';
import { rejectedLines, storingLimits } from '../../route/stored-report.js';
import { writeErrors } from '../../route/write-errors.js';
import { influx1, influx2, influxHeaders } from './dialect.js';
import { influxRoute, type InfluxContext } from './influx-route.js';
import { precisionWords, unitOfPrecision, type PrecisionWord } from './precision.js';

import type { Ingest, LineProtocolNames } from '../../../operations/ingest.js';

const shared = {
  precision: defaultsTo(parameter.choice(precisionWords, 'The unit of the timestamps.'), 'ns'),
  on_error: defaultsTo(
    parameter.choice(['skip', 'fail'], '`fail` stores all or nothing, as /api/v1/ingest does.'),
    'skip',
  ),
};

const facts = {
  method: 'POST',
  scope: 'write',
  tag: 'write',
  answer: { status: 204, purpose: 'All samples are stored, on disk before the answer.' },
  errors: ['invalid_record', 'line_too_long', 'series_limit', ...writeErrors],
  limits: storingLimits,
} as const;

const lines = samplesBody({
  mediaType: 'text/plain',
  purpose: 'Line protocol; may be compressed with gzip, zstd or snappy.',
});

const ignored = 'Accepted, and ignored.';
const database = (what: string): string =>
  `The ${what}. It is ignored, unless \`influx_database_label\` makes it a label.`;

export const write = influxRoute({
  ...facts,
  path: '/write',
  protocol: influx1,
  summary:
    'Stores line protocol as InfluxDB 1 does: good lines are stored although others are bad.',
  query: querySchema({
    ...shared,
    db: parameter.text(database('database')),
    rp: parameter.text(ignored),
    consistency: parameter.text(ignored),
    u: parameter.text(ignored),
    p: parameter.text('The token, for clients that cannot send it in a header.'),
  }),
  body: lines,
  example: {
    query: { db: 'telegraf', precision: 's' },
    body: 'cpu,host=a load=0.5,busy=3i 1700000000\n',
    answer: '',
  },
  handler: ({ query, body }, context) =>
    body(ingestOf({ ...query, database: query.db }, context)).map((report) => {
      const [first] = report.errors;
      if (first !== undefined) {
        // On these words Telegraf drops the batch, even if no line was stored. Otherwise it would
        // send the batch again.
        throw refused(`partial write: ${first.error} dropped=${report.rejected}`);
      }
      return emptyReply(influxHeaders(context.operations.version));
    }),
});

export const writeBucket = influxRoute({
  ...facts,
  path: '/api/v2/write',
  protocol: influx2,
  summary:
    'Stores line protocol as InfluxDB 2 does: good lines are stored although others are bad.',
  query: querySchema({
    ...shared,
    org: parameter.text(ignored),
    bucket: parameter.text(database('bucket')),
  }),
  body: lines,
  example: {
    query: { org: 'home', bucket: 'metrics', precision: 'ms' },
    body: 'cpu,host=b load=0.25 1700000000000\n',
    answer: '',
  },
  handler: ({ query, body }, context) =>
    body(ingestOf({ ...query, database: query.bucket }, context)).map((report) => {
      const told = rejectedLines(report);
      if (told !== null) {
        const partly = report.rejected < report.lines ? 'partial write: ' : '';
        throw refused(partly + told);
      }
      return emptyReply(influxHeaders(context.operations.version));
    }),
});

interface InfluxWishes {
  readonly precision: PrecisionWord;
  readonly on_error: 'skip' | 'fail';
  readonly database: string | undefined;
}

function ingestOf(asked: InfluxWishes, { operations, influx }: InfluxContext): Ingest {
  return operations.ingest({
    precision: unitOfPrecision(asked.precision),
    isLenient: asked.on_error === 'skip',
    format: {
      kind: 'influx',
      separator: influx.separator,
      labels: labelsOf(asked.database, influx),
    },
  });
}

function labelsOf(database = '', { databaseLabel }: LineProtocolNames): readonly string[] {
  return databaseLabel === null || database === '' ? [] : [databaseLabel, database];
}

function refused(message: string): AppError {
  return new AppError('invalid_record', message);
}
