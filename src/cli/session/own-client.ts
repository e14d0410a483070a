/** Client commands on a directory that a server has open. */

import { SeriesDbClient } from '../../client/client.js';

import { ownServerName, serverIn } from './own-server.js';
import { failureOf } from './run-command.js';

import type { ClientContext } from './client-context.js';

/**
 * The context with the server of the directory in place of an addressed one; null if none answers.
 */
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

/** Names the socket in failures, because the command never asked its configured address. */
export async function namingSocket<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await failureOf(error, { url: ownServerName, listener: 'public' });
  }
}
