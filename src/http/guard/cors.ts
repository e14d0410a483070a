/** Calls from pages of other origins: off unless origins are configured. */

import type { Reply } from '../route/reply.js';
import type { RequestHead } from '../transport/transport.js';

type Headers = readonly (readonly [string, string])[];

export interface Cors {
  /** Whether pages of that origin may ask; a request that names none comes from any. */
  names(origin: string | undefined): boolean;
  /** For every answer. */
  headersFor(origin: string | undefined): Headers;
  /** What a browser asks before the request itself; null when this is none, or from elsewhere. */
  preflight(head: RequestHead, methods: Iterable<string>): Reply | null;
}

/** How long a browser may remember the answer to a preflight. */
const kMaxAgeSeconds = '600';

/** `*` among the origins is any. Nothing is sent to origins that are not named. */
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
      // Caches must not give the answer for one origin to another.
      const vary: Headers = isAny ? [] : [['vary', 'Origin']];
      if (!isKnown(origin)) return vary;
      return [
        ['access-control-allow-origin', isAny ? '*' : origin],
        ['access-control-expose-headers', 'X-Request-Id, Retry-After, Warning'],
        ...vary,
      ];
    },
    preflight: ({ method, origin, isPreflight }, methods) => {
      if (method !== 'OPTIONS' || !isPreflight || !isKnown(origin)) return null;
      const headers: Headers = [
        ['access-control-allow-methods', [...methods].join(', ')],
        ['access-control-allow-headers', 'authorization, content-type, content-encoding'],
        ['access-control-max-age', kMaxAgeSeconds],
      ];
      return { status: 200, contentType: 'text/plain', headers, body: '' };
    },
  };
}
