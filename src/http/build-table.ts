/** Makes the table that the service looks routes up in. */

import type { Answer, Route, RouteContext, RouteTable } from './route.js';

export type RouteRow<Context = RouteContext> = readonly [string, string, Answer<Context>];

/** Rows are method, path, answer. */
export function buildTable<Context = RouteContext>(
  source: readonly RouteRow<Context>[],
): RouteTable<Context> {
  const table = new Map<string, Map<string, Route<Context>>>();
  for (const [method, path, answer] of source) {
    const methods = table.get(path) ?? new Map<string, Route<Context>>();
    methods.set(method, { name: `${method} ${path}`, answer });
    table.set(path, methods);
  }
  return table;
}
