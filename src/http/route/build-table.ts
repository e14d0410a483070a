/** Makes the table that a listener looks routes up in. */

import type { Route, RouteProtocol } from './route.js';

/** A part of a path that may be anything, and what it is the value of. */
export interface PathParameter {
  readonly name: string;
  /** Which of the parts between slashes, from 0; before the first slash is one, too. */
  readonly index: number;
}

/** Where a path leads. */
export interface Place<Context> {
  /** As it is declared; `none` where no route is. */
  readonly path: string;
  /** Null where no part of the path is the value of one. */
  readonly parameter: PathParameter | null;
  /** Anybody may ask, also where tokens are asked for. */
  readonly isOpen: boolean;
  /** It is open, unless `open_status` is false. */
  readonly isStatus: boolean;
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
 * Nobody learns which paths there are without the right to ask them: a path that leads nowhere is
 * open if all its neighbours are, the routes below the same first folder, or, if it has none, as
 * `elsewhere` says. Throws when routes of a path differ in it, or when two routes are the same.
 */
export function buildTable<Context>(
  routes: readonly Route<Context>[],
  { elsewhere }: { readonly elsewhere: 'open' | 'guarded' },
): RouteTable<Context> {
  const places = new Map<string, Place<Context> & { routes: Map<string, Route<Context>> }>();
  const nowhere = new Map<string, Place<Context>>();
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
  const placeWithAny = (path: string): Place<Context> | undefined => {
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

function emptyPlace<Context>({ isOpen }: { readonly isOpen: boolean }): Place<Context> {
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

/** `id` of `/queries/{id}`, and `name` of `/label/{name}/values`. */
function parameterOf(path: string): PathParameter | null {
  const parts = path.split('/');
  const index = parts.findIndex((part) => /^\{\w+\}$/.test(part));
  const part = parts[index];
  return part === undefined ? null : { name: part.slice(1, -1), index };
}

/** What stands for every path with another such part; of a path that lacks it it is no place. */
function withAny(path: string, index: number): string {
  const parts = path.split('/');
  if (parts[index] === undefined || parts[index] === '') return '';
  parts[index] = '{}';
  return parts.join('/');
}

/** `/api/` of `/api/v1/ingest`; empty for what stands in no folder, as `/status`. */
function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/', 1) + 1);
}
