/** What a command is given that cares for a database: its way out, and where the database is. */

import { Connection } from '../../client/connection.js';

import { readToken, textFlag, type Flags } from './client-context.js';
import { UsageFailure } from './failure.js';

import { serverUrl, trustOf } from './server-address.js';
import { readPieces } from './directories.js';

import type { Terminal } from './terminal.js';
import type { Directories, ReportRequest } from './directories.js';

export interface CareContext {
  readonly terminal: Terminal;
  readonly directories: Directories;
  readonly signal: AbortSignal;
  readonly flags: Flags;
  readonly isJson: boolean;
}

const tokenVariable = 'SDB_ADMIN_TOKEN';

/** Where a database is that a command is for. Throws where neither or both are named. */
export function placeOf(
  { flags }: CareContext,
  directory: string | undefined,
): { readonly directory: string } | { readonly url: string } {
  const url = textFlag(flags, 'url');
  if (directory !== undefined && url === undefined) return { directory };
  if (url !== undefined && directory === undefined) return { url };
  throw new UsageFailure('name either a directory, or a running server by --url or --profile');
}

/** The admin listener that --url names. */
export function adminConnection({ terminal, flags }: CareContext, url: string): Connection {
  const token = readToken(flags, terminal.environment, tokenVariable);
  const options = token === undefined ? trustOf(flags) : { ...trustOf(flags), token };
  return new Connection({ url: serverUrl(url), ...options });
}

/** An order to the server that --url names, which is given once. */
export function adminOrder(
  context: CareContext,
  { url, path, method = 'POST' }: OrderPlace,
): Order {
  const { signal } = context;
  const call = { method, path, isRepeatable: false, signal } as const;
  const connection = adminConnection(context, url);
  return {
    text: () => connection.text(call),
    pieces: () => connection.pieces(call),
  };
}

interface OrderPlace {
  readonly url: string;
  /** Of the route, with its query. */
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
}

/** Either is asked for. */
interface Order {
  readonly text: () => Promise<string>;
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** What the admin API and the files themselves tell of the same thing. */
interface ToldBy {
  readonly method: 'GET' | 'POST';
  /** Of the route, with its query. */
  readonly path: string;
  readonly report: ReportRequest['report'];
  readonly number?: bigint | null;
}

/** Lines of JSON of a database, wherever it is. Throws as `placeOf` does. */
export function reportPieces(
  context: CareContext,
  { method, path, report, number = null }: ToldBy,
  directory: string | undefined,
): AsyncIterable<Uint8Array> {
  const { directories, signal } = context;
  const place = placeOf(context, directory);
  if ('url' in place) {
    const call = { method, path, isRepeatable: true, signal } as const;
    return adminConnection(context, place.url).pieces(call);
  }
  return readPieces(directories.openReport({ ...place, report, number }), signal);
}
