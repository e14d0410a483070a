/** Finds the server that has a data directory open, by the socket in the directory. */

import { stat } from 'node:fs/promises';
import { connect } from 'node:net';

import { Connection, type ConnectionOptions } from '../../client/connection.js';
import { socketPathIn } from '../../config/data-socket.js';

import { fetchBy } from './undici-fetch.js';

interface OwnServer {
  readonly connection: Connection;
  /** Options for further clients. */
  readonly options: ConnectionOptions;
  /** The id of the user that the server runs as. */
  readonly userId: number;
}

/** The name of the server in failures, in place of an address. */
export const ownServerName = 'the socket in the data directory';

/**
 * Null if no server answers: none has the directory open, or another user's server has. No token is
 * sent, since anyone who can write to the directory can put a socket there.
 */
export async function serverIn(directory: string): Promise<OwnServer | null> {
  let place;
  try {
    // Stays open: each connection uses this path until the command ends.
    place = await socketPathIn(directory);
  } catch {
    return null;
  }
  if (!(await isAnswered(place.path))) {
    await place.close();
    return null;
  }
  const { uid: userId } = await stat(place.path);
  const options = optionsFor(place.path);
  return { connection: new Connection(options), options, userId };
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (found: 'server' | 'none') => (): void => {
      socket.destroy();
      resolve(found === 'server');
    };
    socket.once('connect', end('server')).once('error', end('none'));
  });
}

function optionsFor(socketPath: string): ConnectionOptions {
  // No timeouts: a flush may take long, and a server that dies closes the socket.
  const fetch = fetchBy({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 });
  return { url: 'http://localhost', fetch };
}
