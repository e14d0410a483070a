/** GET /openapi.json */

import { openApiDocument } from '../api/openapi.js';
import { apiOperations } from '../api/operations.js';
import { jsonReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

let text: string | null = null;

/** Made at the first request; it does not change while the process runs. */
export function openApiRoute(_request: Request, context: RouteContext): Reply {
  text ??= JSON.stringify(openApiDocument(apiOperations, context.operations.version));
  return jsonReply(text);
}
