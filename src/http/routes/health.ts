/** What orchestrators ask: whether the process lives, and whether the database takes writes. */

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
  summary: 'The database is recovered and takes writes; 503 with the reasons when it does not.',
  answer: { purpose: 'Ready.', schema: health },
  refusal: { status: 503, purpose: 'Not ready, and why.', schema: health },
  example: { answer: { status: 'ok' } },
  handler: (_asked, { operations }) => {
    const reasons = operations.writesBlockedBy();
    if (reasons.length === 0) return jsonReply('{"status":"ok"}');
    const reply = jsonReply(JSON.stringify({ status: 'degraded', reasons }), 503);
    // As a write that is refused for it.
    return { ...reply, headers: headersOf('storage_unavailable') };
  },
});
