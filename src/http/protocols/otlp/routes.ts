/** Routes for OpenTelemetry metrics: OTLP/HTTP in protobuf and JSON. */

import { defaultsTo, parameter, querySchema } from '../../fields/query-schema.js';
import { routesFor, type DeclareRoute, type Route } from '../../route/route.js';
import { samplesBody } from '../../route/stored-body.js';
import { storingLimits } from '../../route/stored-report.js';
import { writeErrors } from '../../route/write-errors.js';
import { exported, otlp } from './dialect.js';
import { kJson, kProtobuf, takenMediaType } from './media-type.js';

import type { OtlpRules } from '../../../operations/ingest.js';
import type { Operations } from '../../../operations/operations.js';

interface OtlpContext {
  readonly operations: Operations;
  /** The largest body of samples after decompression, in bytes. */
  readonly maxBodyBytes: number;
  readonly otlp: OtlpRules;
}

const otlpRoute: DeclareRoute<OtlpContext> = routesFor();

const metricsRoute = (path: string, summary: string): Route<OtlpContext> =>
  otlpRoute({
    method: 'POST',
    path,
    scope: 'write',
    tag: 'write',
    protocol: otlp,
    summary,
    query: querySchema({
      on_error: defaultsTo(
        parameter.choice(['skip', 'fail'], '`fail` stores all or nothing, as /api/v1/ingest does.'),
        'skip',
      ),
    }),
    body: samplesBody({
      mediaType: kProtobuf,
      purpose:
        `An ExportMetricsServiceRequest, or with Content-Type ${kJson} the same in JSON; may be ` +
        'compressed with gzip, zstd or snappy.',
    }),
    answer: {
      purpose:
        'An ExportMetricsServiceResponse: good points are stored, on disk before the answer.',
      mediaType: kProtobuf,
      otherMediaTypes: [kJson],
    },
    errors: [
      ...(['invalid_record', 'invalid_json', 'unsupported_media_type', 'series_limit'] as const),
      ...writeErrors,
    ],
    limits: storingLimits,
    example: { body: '', answer: '' },
    handler: ({ query, body, request }, { operations, otlp: rules }) => {
      const mediaType = takenMediaType(request.head.contentType);
      const ingest = operations.ingest({
        precision: 'ns',
        isLenient: query.on_error === 'skip',
        format: { kind: mediaType === kJson ? 'otlp_json' : 'otlp', ...rules },
      });
      return body(ingest).map((report) => exported(report, mediaType));
    },
  });

export const otlpRoutes: readonly Route<OtlpContext>[] = [
  metricsRoute(
    '/v1/metrics',
    'Stores metrics of OpenTelemetry (OTLP/HTTP): good points are stored although others are bad.',
  ),
  metricsRoute('/api/v1/otlp/v1/metrics', 'The same, at Prometheus’ path.'),
];
