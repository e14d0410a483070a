/** What the routes of the public listener are given, and how they are declared. */

import { routesFor, type DeclareRoute, type Route } from '../route/route.js';

import type { Caller } from '../../auth/token.js';
import type { LineProtocolNames } from '../../operations/ingest.js';
import type { Operations } from '../../operations/operations.js';

export interface RouteContext {
  readonly operations: Operations;
  /** Most bytes of an ingest body, after decompression. */
  readonly maxBodyBytes: number;
  readonly influx: LineProtocolNames;
}

/** What a caller is given of `whole`. */
export function contextFor(whole: RouteContext): (caller: Caller) => RouteContext {
  return ({ labels }) =>
    labels === null ? whole : { ...whole, operations: whole.operations.boundTo(labels) };
}

export type PublicRoute = Route<RouteContext>;

export const publicRoute: DeclareRoute<RouteContext> = routesFor();
