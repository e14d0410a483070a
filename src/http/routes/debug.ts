/** The debug routes: what an operator looks at when something is odd. */

import { AppError } from '../../errors/app-error.js';

import { jsonReply, streamReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

/** GET /debug/compat/stats */
export function compatStatsRoute(_request: Request, context: RouteContext): Reply {
  return jsonReply(JSON.stringify(context.operations.compatStats()));
}

/** GET /debug/compat/catalog */
export function compatCatalogRoute(_request: Request, context: RouteContext): Reply {
  return streamReply(context.operations.compatCatalog());
}

/** GET /debug/alloc/stats */
export function allocStatsRoute(_request: Request, context: RouteContext): Reply {
  const classes = context.operations.poolClasses();
  if (classes === null) {
    throw new AppError('not_found', 'there are figures only with allocator = "small_pool"');
  }
  return jsonReply(JSON.stringify({ allocator: 'small_pool', classes }));
}
