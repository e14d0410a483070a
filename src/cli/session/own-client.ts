/** A client command that names a directory, where a server has that directory open. */

import { SeriesDbClient } from '../../client/client.js';

import { ownServerName, serverIn } from './own-server.js';
import { failureOf } from './run-command.js';

import type { ClientContext } from './client-context.js';

/** The context with that server in place of one that an address names; null where none answers. */
export async function contextIn(
  context: ClientContext,
  directory: string,
): Promise<ClientContext | null> {
  const server = await serverIn(directory);
  if (server === null) return null;
  const connect: ClientContext['connect'] = (options) =>
    new SeriesDbClient({ ...server.options, ...options });
  return { ...context, url: ownServerName, connect, client: connect({}) };
}

/** Has a failure name the socket: the address that a command has beside it was never asked. */
export async function namingSocket<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await failureOf(error, { url: ownServerName, listener: 'public' });
  }
}
