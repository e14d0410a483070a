/** Calls from pages of other origins: off unless origins are configured. */

import type { Reply } from '../route/reply.js';
import type { RequestHead } from '../transport/transport.js';

type CorsHeaders = readonly (readonly [string, string])[];

export interface Cors {
  /** True if pages of that origin may call. A request without an origin may. */
  names(origin: string | undefined): boolean;
  /** For every answer. */
  headersFor(origin: string | undefined): CorsHeaders;
  /** The answer to a preflight request; null if it is none, or from an unknown origin. */
  preflight(head: RequestHead, methods: Iterable<string>): Reply | null;
}

/** How long a browser may cache the preflight answer. */
const kMaxAgeSeconds = '600';

/** `*` allows any origin. Unknown origins get no headers. */
export function createCors(origins: readonly string[]): Cors {
  if (origins.length === 0) {
    return { names: () => false, headersFor: () => [], preflight: () => null };
  }
  const isAny = origins.includes('*');
  const named = new Set(origins);
  const isKnown = (origin: string | undefined): origin is string =>
    origin !== undefined && (isAny || named.has(origin));
  return {
    names: (origin) => isAny || isKnown(origin),
    headersFor: (origin) => {
      // Caches must not reuse an answer across origins.
      const vary: CorsHeaders = isAny ? [] : [['vary', 'Origin']];
      if (!isKnown(origin)) return vary;
      return [
        ['access-control-allow-origin', isAny ? '*' : origin],
        ['access-control-expose-headers', 'X-Request-Id, Retry-After, Warning'],
        ...vary,
      ];
    },
    preflight: ({ method, origin, isPreflight }, methods) => {
      if (method !== 'OPTIONS' || !isPreflight || !isKnown(origin)) return null;
      const headers: CorsHeaders = [
        ['access-control-allow-methods', [...methods].join(', ')],
        ['access-control-allow-headers', 'authorization, content-type, content-encoding'],
        ['access-control-max-age', kMaxAgeSeconds],
      ];
      return { status: 200, contentType: 'text/plain', headers, body: '' };
    },
  };
}
