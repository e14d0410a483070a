/** Samples that Prometheus and its like send on: remote_write 1.0. */

import { AppError } from '../../errors/app-error.js';
import { defaultsTo, parameter, querySchema } from '../../http/fields/query-schema.js';
import { emptyReply } from '../../http/route/reply.js';
import { routesFor, type DeclareRoute, type Route } from '../../http/route/route.js';
import { samplesBody } from '../../http/route/stored-body.js';
import { checkContentType } from './content-type.js';
import { remoteWrite } from './dialect.js';

import type { IngestReport } from '../../operations/ingest.js';
import type { Operations } from '../../operations/operations.js';

interface RemoteWriteContext {
  readonly operations: Operations;
  /** Most bytes of a body of samples, after decompression. */
  readonly maxBodyBytes: number;
}

const remoteWriteRoute: DeclareRoute<RemoteWriteContext> = routesFor();

const write = remoteWriteRoute({
  method: 'POST',
  path: '/api/v1/write',
  scope: 'write',
  tag: 'write',
  protocol: remoteWrite,
  summary: 'Stores what remote_write 1.0 sends: good series also where others are bad.',
  query: querySchema({
    on_error: defaultsTo(
      parameter.choice(['skip', 'fail'], '`fail` stores all or nothing, as /api/v1/ingest does.'),
      'skip',
    ),
  }),
  body: samplesBody({
    mediaType: 'application/x-protobuf',
    purpose: 'A prometheus.WriteRequest; compressed with snappy or zstd, with gzip, or not at all.',
  }),
  answer: { status: 204, purpose: 'All is stored, on disk before the answer.' },
  errors: [
    'invalid_record',
    'series_limit',
    'unsupported_media_type',
    'ingest_backpressure',
    'storage_unavailable',
  ],
  limits: ['max_future_skew', 'max_series', 'max_series_per_metric', 'memory_limit_bytes'],
  example: { body: '', answer: '' },
  handler: async ({ query, body, request }, { operations }) => {
    checkContentType(request.head.contentType);
    const ingest = operations.ingest({
      precision: 'ms',
      isLenient: query.on_error === 'skip',
      isRemoteWrite: true,
    });
    const report = await body(ingest);
    if (report.rejected > 0) throw refused(report);
    return emptyReply();
  },
});

export const remoteWriteRoutes: readonly Route<RemoteWriteContext>[] = [write];

function refused({ ingested, rejected, errors }: IngestReport): AppError {
  const [first] = errors;
  const all = ingested + rejected;
  const why = first === undefined ? '' : `: ${first.error}`;
  return new AppError('invalid_record', `${rejected} of ${all} samples rejected${why}`);
}
