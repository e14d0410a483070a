/** Routes of remote_write 1.0 and 2.0, by which Prometheus and similar systems send samples. */

import { AppError } from '../../../common/errors/app-error.js';
import { defaultsTo, parameter, querySchema } from '../../fields/query-schema.js';
import { emptyReply } from '../../route/reply.js';
import { routesFor, type DeclareRoute, type Route } from '../../route/route.js';
import { samplesBody } from '../../route/stored-body.js';
import { writeErrors } from '../../route/write-errors.js';
import { versionOf } from './content-type.js';
import { histogramsOf, remoteWrite, withWritten } from './dialect.js';

import type { StoredIngestReport } from '../../../operations/ingest.js';
import type { Operations } from '../../../operations/operations.js';

interface RemoteWriteContext {
  readonly operations: Operations;
  /** The largest body of samples after decompression, in bytes. */
  readonly maxBodyBytes: number;
}

const remoteWriteRoute: DeclareRoute<RemoteWriteContext> = routesFor();

const write = remoteWriteRoute({
  method: 'POST',
  path: '/api/v1/write',
  scope: 'write',
  tag: 'write',
  protocol: remoteWrite,
  summary:
    'Stores samples of remote_write 1.0 and 2.0: good series are stored although others are bad.',
  query: querySchema({
    on_error: defaultsTo(
      parameter.choice(['skip', 'fail'], '`fail` stores all or nothing, as /api/v1/ingest does.'),
      'skip',
    ),
  }),
  body: samplesBody({
    mediaType: 'application/x-protobuf',
    unnamed: 'snappy',
    purpose:
      'A prometheus.WriteRequest, or an io.prometheus.write.v2.Request as `proto` of ' +
      'Content-Type. Content-Encoding is snappy (also when it is absent), zstd, gzip or identity.',
  }),
  answer: { status: 204, purpose: 'All samples are stored, on disk before the answer.' },
  errors: ['invalid_record', 'series_limit', 'unsupported_media_type', ...writeErrors],
  limits: ['max_future_skew', 'max_series', 'max_series_per_metric', 'memory_limit_bytes'],
  example: { body: '', answer: '' },
  handler: ({ query, body, request }, { operations }) => {
    const version = versionOf(request.head.contentType);
    const ingest = operations.ingest({
      precision: 'ms',
      isLenient: query.on_error === 'skip',
      format: { kind: version === 2 ? 'remote_write_2' : 'remote_write' },
    });
    return body(ingest).map((report) => {
      if (version === 2) return withWritten(report, refusalOfSecond(report));
      if (report.rejected > 0) throw new AppError('invalid_record', refusal(report));
      return emptyReply();
    });
  },
});

export const remoteWriteRoutes: readonly Route<RemoteWriteContext>[] = [write];

function refusal({ ingested, rejected, errors }: StoredIngestReport): string {
  const [first] = errors;
  const all = ingested + rejected;
  const why = first === undefined ? '' : `: ${first.error}`;
  return `${rejected} of ${all} samples rejected${why}`;
}

/**
 * Null if everything was stored. In 2.0 a receiver that stores only a part of a histogram must
 * report it.
 */
function refusalOfSecond(report: StoredIngestReport): string | null {
  if (report.rejected > 0) return refusal(report);
  const histograms = histogramsOf(report);
  if (histograms === 0) return null;
  return `only _count and _sum of ${histograms} native histograms are stored`;
}
