/** GET /healthz: the process lives. GET /readyz: the database takes writes. */

import { headersOf } from '../error-reply.js';
import { jsonReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export function healthzRoute(): Reply {
  return jsonReply('{"status":"ok"}');
}

export function readyzRoute(_request: Request, context: RouteContext): Reply {
  const reasons = context.operations.writesBlockedBy();
  if (reasons.length === 0) return jsonReply('{"status":"ok"}');
  const reply = jsonReply(JSON.stringify({ status: 'degraded', reasons }), 503);
  // As a write that is refused for it.
  return { ...reply, headers: headersOf('storage_unavailable') };
}
