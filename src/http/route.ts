/** What a route is: the types that the table, its routes and the wrapper share. */

import type { Reply } from './reply.js';
import type { Request } from './request.js';
import type { Operations } from '../operations/operations.js';

export interface RouteContext {
  readonly operations: Operations;
  /** Most bytes of an ingest body, after decompression. */
  readonly maxBodyBytes: number;
}

export type Answer<Context = RouteContext> = (
  request: Request,
  context: Context,
) => Reply | Promise<Reply>;

export interface Route<Context = RouteContext> {
  /** The label in metrics. */
  readonly name: string;
  readonly answer: Answer<Context>;
}

/** Path, then method. HEAD is answered by GET; everything under `/api/` asks for the token. */
export type RouteTable<Context = RouteContext> = ReadonlyMap<
  string,
  ReadonlyMap<string, Route<Context>>
>;
