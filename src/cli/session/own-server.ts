/** The server that has a data directory open, by the socket which it has there for its owner. */

import { stat } from 'node:fs/promises';
import { connect } from 'node:net';

import { Connection, type ConnectionOptions } from '../../client/connection.js';
import { socketPathIn } from '../../config/data-socket.js';

import { fetchBy } from './undici-fetch.js';

interface OwnServer {
  readonly connection: Connection;
  /** For further clients. */
  readonly options: ConnectionOptions;
  /** Of the user that the server runs as. */
  readonly userId: number;
}

/** What failures call it, which have an address for other servers. */
export const ownServerName = 'the socket in the data directory';

/**
 * Null where none answers: no server has the directory open, or another user's has. No token is
 * sent, since whoever may write to the directory may put a socket there.
 */
export async function serverIn(directory: string): Promise<OwnServer | null> {
  let place;
  try {
    // Left open: each connection is made by this path, until the command ends.
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
  // A flush may take long, and a server that dies closes the socket.
  const fetch = fetchBy({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 });
  return { url: 'http://localhost', fetch };
}
