/** Makes the table that a listener looks routes up in. */

import type { Route, RouteProtocol } from './route.js';

/** Where a path leads. */
export interface Place<Context> {
  /** As it is declared; `none` where no route is. */
  readonly path: string;
  /** What the last part of the path is the value of; null where it is a part as others. */
  readonly parameter: string | null;
  /** Anybody may ask, also where tokens are asked for. */
  readonly isOpen: boolean;
  readonly isProbe: boolean;
  readonly isLinked: boolean;
  /** Its routes that only read are answered by the first thread. */
  readonly isCentral: boolean;
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
    const { method, path, isProbe = false, isLinked = false, protocol = null } = route;
    const isCentral = route.isCentral === true;
    const isOpen = route.scope === 'public';
    const parameter = parameterOf(path);
    const key = parameter === null ? path : anyBelow(path);
    const facts = { isOpen, isProbe, isLinked, isCentral, protocol };
    const made = { path, parameter, ...facts, routes: new Map() };
    const place = places.get(key) ?? made;
    if (place.path !== path) throw new Error(`${path} and ${place.path} are the same`);
    if (place.routes.has(method)) throw new Error(`${method} ${path} is declared twice`);
    const folder = folderOf(path);
    const neighbour = nowhere.get(folder) ?? emptyPlace({ isOpen });
    if ([place, neighbour].some((one) => one.isOpen !== isOpen) || place.isProbe !== isProbe) {
      throw new Error(`${method} ${path} is open to others than its neighbours`);
    }
    if (place.protocol !== protocol) throw new Error(`${method} ${path} has another protocol`);
    place.routes.set(method, route);
    places.set(key, place);
    if (folder !== '') nowhere.set(folder, neighbour);
  }
  const outside = emptyPlace<Context>({ isOpen: elsewhere === 'open' });
  return {
    routes,
    placeOf: (path) =>
      places.get(path) ?? places.get(anyBelow(path)) ?? nowhere.get(folderOf(path)) ?? outside,
  };
}

function emptyPlace<Context>({ isOpen }: { readonly isOpen: boolean }): Place<Context> {
  const routes = new Map<string, Route<Context>>();
  const closed = { isProbe: false, isLinked: false, isCentral: false, protocol: null };
  return { path: 'none', parameter: null, isOpen, ...closed, routes };
}

/** `id` of `/queries/{id}`. */
function parameterOf(path: string): string | null {
  return /\/\{(\w+)\}$/.exec(path)?.[1] ?? null;
}

/** What stands for every path with another last part; of a path that has none it is no place. */
function anyBelow(path: string): string {
  return path.endsWith('/') ? '' : `${path.slice(0, path.lastIndexOf('/'))}/{}`;
}

/** `/api/` of `/api/v1/ingest`; empty for what stands in no folder, as `/status`. */
function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/', 1) + 1);
}
