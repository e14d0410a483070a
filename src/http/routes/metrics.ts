/** Metrics in Prometheus' format. */

import { kExpositionContentType } from '../../telemetry/exposition.js';

import { publicRoute } from './public-route.js';

export const metrics = publicRoute({
  method: 'GET',
  path: '/metrics',
  scope: 'status',
  isCentral: true,
  tag: 'operate',
  summary: 'All metrics in Prometheus’ format.',
  answer: { purpose: 'Text exposition.', mediaType: 'text/plain' },
  example: {
    answer: [
      '# HELP seriesdb_ingest_total Samples stored.',
      '# TYPE seriesdb_ingest_total counter',
      'seriesdb_ingest_total 4',
      '',
    ].join('\n'),
    isSketch: true,
  },
  handler: async (_asked, { operations }) => ({
    status: 200,
    contentType: kExpositionContentType,
    body: await operations.metricsText(),
  }),
});
