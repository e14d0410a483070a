/** The route that takes VictoriaMetrics' JSON lines, as its own /api/v1/import does. */

import { AppError } from '../../../common/errors/app-error.js';
import { defaultsTo, parameter, querySchema } from '../../fields/query-schema.js';
import { plainErrors } from '../../route/plain-errors.js';
import { emptyReply } from '../../route/reply.js';
import { routesFor, type DeclareRoute, type Route } from '../../route/route.js';
import { samplesBody } from '../../route/stored-body.js';
import { rejectedLines } from '../../route/stored-report.js';
import { writeErrors } from '../../route/write-errors.js';

import type { Operations } from '../../../operations/operations.js';

interface VictoriaMetricsContext {
  readonly operations: Operations;
  /** The largest body of samples after decompression, in bytes. */
  readonly maxBodyBytes: number;
}

const victoriaMetricsRoute: DeclareRoute<VictoriaMetricsContext> = routesFor();

const importLines = victoriaMetricsRoute({
  method: 'POST',
  path: '/api/v1/import',
  scope: 'write',
  tag: 'write',
  protocol: plainErrors('victoriametrics'),
  summary: 'Stores VictoriaMetrics’ JSON lines: good lines are stored although others are bad.',
  query: querySchema(
    {
      on_error: defaultsTo(
        parameter.choice(['skip', 'fail'], '`fail` stores all or nothing, as /api/v1/ingest does.'),
        'skip',
      ),
    },
    // VictoriaMetrics has parameters that change series; without them series would mix.
    { refusesUnknown: true },
  ),
  body: samplesBody({
    mediaType: 'application/stream+json',
    purpose: 'A series with its samples on each line; may be compressed with gzip, zstd or snappy.',
  }),
  answer: { status: 204, purpose: 'All samples are stored, on disk before the answer.' },
  errors: ['invalid_json', 'invalid_record', 'series_limit', ...writeErrors],
  limits: ['max_future_skew', 'max_series', 'max_series_per_metric', 'memory_limit_bytes'],
  example: {
    body: '{"metric":{"__name__":"cpu.load","host":"b"},"values":[0.5,null],"timestamps":[1700000000000,1700000060000]}\n',
    answer: '',
  },
  handler: ({ query, body }, { operations }) =>
    body(
      operations.ingest({
        precision: 'ms',
        isLenient: query.on_error === 'skip',
        format: { kind: 'victoriametrics' },
      }),
    ).map((report) => {
      const told = rejectedLines(report);
      if (told !== null) throw new AppError('invalid_record', told);
      return emptyReply();
    }),
});

export const victoriaMetricsRoutes: readonly Route<VictoriaMetricsContext>[] = [importLines];
