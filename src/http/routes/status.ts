/** GET /status */

import { jsonReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export function statusRoute(_request: Request, context: RouteContext): Reply {
  return jsonReply(JSON.stringify(context.operations.status()));
}
