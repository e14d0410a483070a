/** GET /metrics */

import { kExpositionContentType } from '../../telemetry/exposition.js';

import type { Reply } from '../reply.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export async function metricsRoute(_request: Request, context: RouteContext): Promise<Reply> {
  return {
    status: 200,
    contentType: kExpositionContentType,
    body: await context.operations.metricsText(),
  };
}
