/** GET /metrics */

import { kExpositionContentType } from '../../telemetry/exposition.js';

import type { Reply } from '../reply.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export function metricsRoute(_request: Request, context: RouteContext): Reply {
  return {
    status: 200,
    contentType: kExpositionContentType,
    body: context.operations.metricsText(),
  };
}
