/** What the routes of the public listener are given, and how they are declared. */

import { routesFor, type DeclareRoute, type Route } from '../route/route.js';

import type { Caller } from '../../auth/token.js';
import type { LineProtocolNames, OtlpRules } from '../../operations/ingest.js';
import type { Operations } from '../../operations/operations.js';
import type { PageFiles } from '../page/page-files.js';

export interface RouteContext {
  readonly operations: Operations;
  /** Most bytes of an ingest body, after decompression. */
  readonly maxBodyBytes: number;
  readonly influx: LineProtocolNames;
  readonly otlp: OtlpRules;
  /** Null where there is none, or none is wanted. */
  readonly page: PageFiles | null;
}

/** What a caller is given of `whole`. */
export function contextFor(whole: RouteContext): (caller: Caller) => RouteContext {
  return ({ labels }) =>
    labels === null ? whole : { ...whole, operations: whole.operations.boundTo(labels) };
}

export type PublicRoute = Route<RouteContext>;

export const publicRoute: DeclareRoute<RouteContext> = routesFor();
