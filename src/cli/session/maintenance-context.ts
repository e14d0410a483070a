/** The context of commands that maintain a database: terminal, flags, and the database's place. */

import { Connection } from '../../client/connection.js';

import { readToken, textFlag, urlVariable, type Flags } from './client-context.js';
import { CommandFailure, UsageFailure } from './failure.js';

import { serverUrl, trustOf } from './server-address.js';
import { readPieces } from './directories.js';
import { serverIn } from './own-server.js';

import type { Terminal } from './terminal.js';
import type { Directories, ReportRequest } from './directories.js';

export interface MaintenanceContext {
  readonly terminal: Terminal;
  readonly directories: Directories;
  readonly signal: AbortSignal;
  readonly flags: Flags;
  readonly isJson: boolean;
}

const tokenVariable = 'SDB_ADMIN_TOKEN';

/** A server that has the database open. */
export interface AskedServer {
  readonly connection: Connection;
  /** The user id of a local server's process; null for a server given by --url. */
  readonly userId: number | null;
}

type MaintainedPlace = { readonly directory: string } | { readonly server: AskedServer };

/**
 * The place of a database: a directory that no server has open, or a server. The server is given by
 * --url, or found by the socket in the directory. Rejects if both or neither are given.
 */
export async function placeOf(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<MaintainedPlace> {
  const url = textFlag(context.flags, 'url');
  if (directory !== undefined && url === undefined) {
    const server = await serverIn(directory);
    return server === null ? { directory } : { server };
  }
  if (url !== undefined && directory === undefined) {
    return { server: { connection: adminConnection(context, url), userId: null } };
  }
  // A default must not select a database for maintenance.
  const unread = (directory === undefined && context.terminal.environment[urlVariable]) || '';
  const more = unread === '' ? '' : `; maintenance commands do not read SDB_URL (${unread})`;
  const request = 'name either a directory, or a running server by --url or --profile';
  throw new UsageFailure(request + more);
}

/** The server of a command that only a server can perform. */
export async function serverOf(
  context: MaintenanceContext,
  directory: string | undefined,
): Promise<AskedServer> {
  const place = await placeOf(context, directory);
  if ('server' in place) return place.server;
  throw new CommandFailure(`no server of yours has ${place.directory} open`);
}

/** Connects to the admin listener of --url. */
function adminConnection({ terminal, flags }: MaintenanceContext, url: string): Connection {
  const token = readToken(flags, terminal.environment, tokenVariable);
  const options = token === undefined ? trustOf(flags) : { ...trustOf(flags), token };
  return new Connection({ url: serverUrl(url), ...options });
}

/** An order to a server; it is sent once, without retries. */
export function adminOrder(
  { signal }: MaintenanceContext,
  { server, path, method = 'POST', body }: OrderPlace,
): MaintenanceOrder {
  const sent = body === undefined ? {} : { body, contentType: 'application/json' };
  const call = { method, path, isRepeatable: false, signal, ...sent } as const;
  const { connection } = server;
  return {
    text: () => connection.text(call),
    pieces: () => connection.pieces(call),
  };
}

interface OrderPlace {
  readonly server: AskedServer;
  /** The path of the route, with its query. */
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
  /** JSON. */
  readonly body?: string;
}

/** Use only one of the two: each call sends the order. */
interface MaintenanceOrder {
  readonly text: () => Promise<string>;
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** A report that the admin API and the files of a directory both provide. */
interface ToldBy {
  readonly method: 'GET' | 'POST';
  /** The path of the route, with its query. */
  readonly path: string;
  readonly report: ReportRequest['report'];
  readonly number?: bigint | null;
}

/** Lines of JSON about a database, from a server or a directory. Rejects as `placeOf` does. */
export async function* reportPieces(
  context: MaintenanceContext,
  { method, path, report, number = null }: ToldBy,
  directory: string | undefined,
): AsyncGenerator<Uint8Array> {
  const { directories, signal } = context;
  const place = await placeOf(context, directory);
  if ('server' in place) {
    const call = { method, path, isRepeatable: true, signal } as const;
    yield* place.server.connection.pieces(call);
  } else {
    yield* readPieces(directories.openReport({ ...place, report, number }), signal);
  }
}
