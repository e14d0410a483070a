/** Serves the API description. */

import { openApiDocument } from '../api/openapi.js';
import { jsonReply } from '../route/reply.js';
import { publicRoute, type PublicRoute } from './public-route.js';

/** `described` gives all routes, including this one. */
export function describeApi(described: () => readonly PublicRoute[]): PublicRoute {
  let text: string | null = null;
  return publicRoute({
    method: 'GET',
    path: '/openapi.json',
    scope: 'public',
    tag: 'operate',
    summary: 'This description.',
    answer: { purpose: 'An OpenAPI 3.1 document.' },
    example: {
      answer: { openapi: '3.1.0', info: { title: 'seriesdb', version: '0.1.0' } },
      isSketch: true,
    },
    // Built at the first request; constant afterwards.
    handler: (_asked, { operations }) =>
      jsonReply((text ??= JSON.stringify(openApiDocument(described(), operations.version)))),
  });
}
