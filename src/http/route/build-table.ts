/** Builds the route lookup table of a listener. */

import type { Route, RouteProtocol } from './route.js';

/** A path segment that is a parameter. */
export interface PathParameter {
  readonly name: string;
  /** Its index among the segments; the part before the first slash is 0. */
  readonly index: number;
}

/** A path with its routes. */
export interface RoutePlace<Context> {
  /** The declared path; `none` without a route. */
  readonly path: string;
  /** Null if the path has no parameter. */
  readonly parameter: PathParameter | null;
  /** True if it needs no token, even if the server requires tokens. */
  readonly isOpen: boolean;
  /** True if it needs no token unless `open_status` is false. */
  readonly isStatus: boolean;
  readonly isProbe: boolean;
  readonly isLinked: boolean;
  /** True if its read-only routes run on the first thread. */
  readonly isCentral: boolean;
  /** Null for our own API. */
  readonly protocol: RouteProtocol | null;
  /** Routes by method. GET answers HEAD, too. Empty if the path does not exist. */
  readonly routes: ReadonlyMap<string, Route<Context>>;
}

export interface RouteTable<Context> {
  /** In the order of declaration. */
  readonly routes: readonly Route<Context>[];
  placeOf(path: string): RoutePlace<Context>;
}

/**
 * Builds the table. Callers without a token must not learn which paths exist. So an unknown path is
 * open only if all routes below the same first folder are open. Without such a folder, `elsewhere`
 * decides. Throws if the routes of a path differ in access, or if two routes are the same.
 */
export function buildTable<Context>(
  routes: readonly Route<Context>[],
  { elsewhere }: { readonly elsewhere: 'open' | 'guarded' },
): RouteTable<Context> {
  const places = new Map<string, RoutePlace<Context> & { routes: Map<string, Route<Context>> }>();
  const nowhere = new Map<string, RoutePlace<Context>>();
  const indexes = new Set<number>();
  for (const route of routes) {
    const { method, path, isProbe = false, isLinked = false, protocol = null } = route;
    const isCentral = route.isCentral === true;
    const isStatus = route.scope === 'status';
    const isOpen = route.scope === 'public' || isStatus;
    const parameter = parameterOf(path);
    const key = parameter === null ? path : withAny(path, parameter.index);
    if (parameter !== null) indexes.add(parameter.index);
    const facts = { isOpen, isStatus, isProbe, isLinked, isCentral, protocol };
    const made = { path, parameter, ...facts, routes: new Map() };
    const place = places.get(key) ?? made;
    if (place.path !== path) throw new Error(`${path} and ${place.path} are the same`);
    if (place.routes.has(method)) throw new Error(`${method} ${path} is declared twice`);
    const folder = folderOf(path);
    const isLikePlace = place.isOpen === isOpen && place.isStatus === isStatus;
    if (!isLikePlace || place.isProbe !== isProbe) {
      throw new Error(`${method} ${path} is open to others than the path's other methods`);
    }
    if (place.protocol !== protocol) throw new Error(`${method} ${path} has another protocol`);
    place.routes.set(method, route);
    places.set(key, place);
    const areOpen = isOpen && nowhere.get(folder)?.isOpen !== false;
    if (folder !== '') nowhere.set(folder, emptyPlace({ isOpen: areOpen }));
  }
  const outside = emptyPlace<Context>({ isOpen: elsewhere === 'open' });
  const placeWithAny = (path: string): RoutePlace<Context> | undefined => {
    for (const index of indexes) {
      const place = places.get(withAny(path, index));
      if (place !== undefined) return place;
    }
    return undefined;
  };
  return {
    routes,
    placeOf: (path) =>
      places.get(path) ?? placeWithAny(path) ?? nowhere.get(folderOf(path)) ?? outside,
  };
}

function emptyPlace<Context>({ isOpen }: { readonly isOpen: boolean }): RoutePlace<Context> {
  const routes = new Map<string, Route<Context>>();
  const closed = {
    isStatus: false,
    isProbe: false,
    isLinked: false,
    isCentral: false,
    protocol: null,
  };
  return { path: 'none', parameter: null, isOpen, ...closed, routes };
}

/** The parameter: `id` in `/queries/{id}`, `name` in `/label/{name}/values`. */
function parameterOf(path: string): PathParameter | null {
  const parts = path.split('/');
  const index = parts.findIndex((part) => /^\{\w+\}$/.test(part));
  const part = parts[index];
  return part === undefined ? null : { name: part.slice(1, -1), index };
}

/** The common key of all paths that differ only in this segment; empty if the path lacks it. */
function withAny(path: string, index: number): string {
  const parts = path.split('/');
  if (parts[index] === undefined || parts[index] === '') return '';
  parts[index] = '{}';
  return parts.join('/');
}

/** The first folder: `/api/` for `/api/v1/ingest`, empty for a top-level path such as `/status`. */
function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/', 1) + 1);
}
