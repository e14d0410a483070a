/** Every error code that a route can answer. */

import { catalog, type ErrorCode } from '../../common/errors/catalog.js';

import type { RouteDescription } from '../route/route.js';

/** Faults of the server, and its shutdown. */
const ofAll: readonly ErrorCode[] = ['internal_error', 'request_timeout', 'closed'];
/** Refusals of pages in a browser. */
const ofBrowsers: readonly ErrorCode[] = ['forbidden_origin', 'forbidden_host'];

const ofScope: Readonly<Record<RouteDescription['scope'], readonly ErrorCode[]>> = {
  public: [],
  status: ['unauthorized', 'forbidden_scope'],
  token: ['unauthorized', 'forbidden_scope'],
  read: ['unauthorized', 'forbidden_scope'],
  write: ['unauthorized', 'forbidden_scope'],
  admin: ['unauthorized', 'forbidden_scope', 'forbidden'],
};

/** In the order of the catalogue. */
export function errorsOf(route: RouteDescription): readonly ErrorCode[] {
  const codes = new Set<string>([
    ...ofAll,
    ...ofScope[route.scope],
    ...(route.isProbe === true ? [] : ofBrowsers),
    ...(route.query?.errors ?? []),
    ...(route.body?.errors ?? []),
    ...(route.errors ?? []),
  ]);
  const all = Object.keys(catalog) as readonly ErrorCode[];
  return all.filter((code) => codes.has(code));
}
