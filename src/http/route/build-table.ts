/** Makes the table that a listener looks routes up in. */

import type { Route, RouteProtocol } from './route.js';

/** Where a path leads. */
export interface Place<Context> {
  /** Anybody may ask, also where tokens are asked for. */
  readonly isOpen: boolean;
  readonly isProbe: boolean;
  /** Null where it is ours. */
  readonly protocol: RouteProtocol | null;
  /** By method; HEAD is answered by GET. Empty: there is no such path. */
  readonly routes: ReadonlyMap<string, Route<Context>>;
}

export interface RouteTable<Context> {
  /** In the order of declaration. */
  readonly routes: readonly Route<Context>[];
  placeOf(path: string): Place<Context>;
}

/**
 * Nobody learns which paths there are without the right to ask them: a path that leads nowhere has
 * open as its neighbours are, the routes below the same first folder, or else as `elsewhere` says.
 * Throws when neighbours differ in it, or when two routes are the same.
 */
export function buildTable<Context>(
  routes: readonly Route<Context>[],
  { elsewhere }: { readonly elsewhere: 'open' | 'guarded' },
): RouteTable<Context> {
  const places = new Map<string, Place<Context> & { routes: Map<string, Route<Context>> }>();
  const nowhere = new Map<string, Place<Context>>();
  for (const route of routes) {
    const { method, path, isProbe = false, protocol = null } = route;
    const isOpen = route.scope === 'public';
    const place = places.get(path) ?? { isOpen, isProbe, protocol, routes: new Map() };
    if (place.routes.has(method)) throw new Error(`${method} ${path} is declared twice`);
    const folder = folderOf(path);
    const neighbour = nowhere.get(folder) ?? emptyPlace({ isOpen });
    if ([place, neighbour].some((one) => one.isOpen !== isOpen) || place.isProbe !== isProbe) {
      throw new Error(`${method} ${path} is open to others than its neighbours`);
    }
    if (place.protocol !== protocol) throw new Error(`${method} ${path} has another protocol`);
    place.routes.set(method, route);
    places.set(path, place);
    if (folder !== '') nowhere.set(folder, neighbour);
  }
  const outside = emptyPlace<Context>({ isOpen: elsewhere === 'open' });
  return {
    routes,
    placeOf: (path) => places.get(path) ?? nowhere.get(folderOf(path)) ?? outside,
  };
}

function emptyPlace<Context>({ isOpen }: { readonly isOpen: boolean }): Place<Context> {
  return { isOpen, isProbe: false, protocol: null, routes: new Map() };
}

/** `/api/` of `/api/v1/ingest`; empty for what stands in no folder, as `/status`. */
function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/', 1) + 1);
}
