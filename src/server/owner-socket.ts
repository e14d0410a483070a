/**
 * The Unix socket in the data directory. Only the owner of the directory and root may open it; they
 * operate the server without a token.
 *
 * The file has mode 0600 as soon as it is reachable. It is made in a folder that only the owner may
 * enter, then renamed to its place. There it replaces the socket of a server that was killed. The
 * caller holds LOCK, so no other server does the same.
 */

import { chmod, mkdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';

import { thrownMessage } from '../common/errors/thrown-message.js';
import { dataSocketName, socketPathIn } from '../config/data-socket.js';
import { listenAtPath } from '../http/transport/node-transport.js';

import type { Listener, Serving } from '../http/transport/transport.js';
import type { Log } from '../telemetry/log.js';

/** The folder in which the socket is made. No program reads it. */
const kFolder = `${dataSocketName}.tmp`;

export interface OwnerSocket {
  /** The same as for a listener. */
  stopAccepting(): Promise<void>;
  /** Closes the remaining connections and removes the file. */
  close(): Promise<void>;
}

/**
 * Null if the directory cannot have a socket. The log says why, and the server works without it.
 */
export async function openOwnerSocket(
  directory: string,
  serving: Serving,
  log: Log,
): Promise<OwnerSocket | null> {
  const file = path.join(directory, dataSocketName);
  try {
    const listener = await listenIn(directory, serving);
    log.write('info', 'commands of the owner are taken by a socket', { file });
    return {
      stopAccepting: () => listener.stopAccepting(),
      close: async () => {
        listener.close();
        await unlink(file).catch(() => undefined);
      },
    };
  } catch (error) {
    const reason = thrownMessage(error);
    const message = 'there is no socket for commands of the owner: name the server by --url';
    log.write('warn', message, { file, reason });
    return null;
  }
}

async function listenIn(directory: string, serving: Serving): Promise<Listener> {
  const folder = path.join(directory, kFolder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    const place = await socketPathIn(folder);
    const listener = await listenAtPath(place.path, serving).finally(place.close);
    const made = path.join(folder, dataSocketName);
    try {
      await chmod(made, 0o600);
      await rename(made, path.join(directory, dataSocketName));
    } catch (error) {
      listener.close();
      throw error;
    }
    return listener;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
