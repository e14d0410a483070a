/** Health probes: is the process alive, and does the database accept writes? */

import * as json from '../fields/json-schema.js';
import { headersOf } from '../route/error-reply.js';
import { jsonReply } from '../route/reply.js';
import { publicRoute } from './public-route.js';

const health = json.named(
  'Health',
  json.object({ status: { enum: ['ok', 'degraded'] }, reasons: json.texts }, ['reasons']),
);

export const healthz = publicRoute({
  method: 'GET',
  path: '/healthz',
  scope: 'public',
  isProbe: true,
  tag: 'operate',
  summary: 'The process lives.',
  answer: { purpose: 'Always this.', schema: health },
  example: { answer: { status: 'ok' } },
  handler: () => jsonReply('{"status":"ok"}'),
});

export const readyz = publicRoute({
  method: 'GET',
  path: '/readyz',
  scope: 'public',
  isProbe: true,
  tag: 'operate',
  summary: 'The database is recovered and accepts writes; otherwise 503 with the reasons.',
  answer: { purpose: 'Ready.', schema: health },
  refusal: { status: 503, purpose: 'Not ready, and why.', schema: health },
  example: { answer: { status: 'ok' } },
  handler: (_asked, { operations }) => {
    const reasons = operations.writesBlockedBy();
    if (reasons.length === 0) return jsonReply('{"status":"ok"}');
    const reply = jsonReply(JSON.stringify({ status: 'degraded', reasons }), 503);
    // The headers of a refused write.
    return { ...reply, headers: headersOf('storage_unavailable') };
  },
});

const influxAnswer = json.named(
  'InfluxHealth',
  json.object({
    name: { const: 'seriesdb' },
    status: { enum: ['pass', 'fail'] },
    message: json.text,
    checks: { ...json.texts, maxItems: 0 },
    version: json.text,
  }),
);

/** The format of InfluxDB 2 for `readyz`. Its clients call it before they write. */
export const influxHealth = publicRoute({
  method: 'GET',
  path: '/health',
  scope: 'public',
  tag: 'operate',
  summary: 'As /readyz, in the format that InfluxDB’s clients expect.',
  answer: { purpose: 'Ready.', schema: influxAnswer },
  refusal: { status: 503, purpose: 'Not ready, and why.', schema: influxAnswer },
  example: {
    answer: {
      name: 'seriesdb',
      status: 'pass',
      message: 'ready for queries and writes',
      checks: [],
      version: '1.0.0',
    },
    isSketch: true,
  },
  handler: (_asked, { operations }) => {
    const reasons = operations.writesBlockedBy();
    const isReady = reasons.length === 0;
    const body = JSON.stringify({
      name: 'seriesdb',
      status: isReady ? 'pass' : 'fail',
      message: isReady ? 'ready for queries and writes' : reasons.join(', '),
      checks: [],
      version: operations.version,
    });
    if (isReady) return jsonReply(body);
    return { ...jsonReply(body, 503), headers: headersOf('storage_unavailable') };
  },
});
