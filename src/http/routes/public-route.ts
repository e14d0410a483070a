/** The dependencies of public routes, and how to declare one. */

import { routesFor, type DeclareRoute, type Route } from '../route/route.js';

import type { Caller } from '../auth/token.js';
import type { LineProtocolNames, OtlpRules } from '../../operations/ingest.js';
import type { Operations } from '../../operations/operations.js';
import type { PageFiles } from '../page/page-files.js';

export interface RouteContext {
  readonly operations: Operations;
  /** Maximum bytes of an ingest body, after decompression. */
  readonly maxBodyBytes: number;
  readonly influx: LineProtocolNames;
  readonly otlp: OtlpRules;
  /** Null if no page was built, or if `ui` is false. */
  readonly page: PageFiles | null;
}

/** The context restricted to the caller's labels. */
export function contextFor(whole: RouteContext): (caller: Caller) => RouteContext {
  return ({ labels }) =>
    labels === null ? whole : { ...whole, operations: whole.operations.boundTo(labels) };
}

export type PublicRoute = Route<RouteContext>;

export const publicRoute: DeclareRoute<RouteContext> = routesFor();
