/**
 * A separate server for each test of a suite, with a client and a directory; removed afterwards.
 */

import { Client } from './client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from './server.js';

export class ServerOfTest {
  dataDir = '';
  #server: Server | null = null;
  #client: Client | null = null;

  /** Call it in the suite's `describe`. */
  static forEach(): ServerOfTest {
    const of = new ServerOfTest();
    beforeEach(() => {
      of.dataDir = temporaryDirectory();
    });
    afterEach(() => of.#end());
    return of;
  }

  /** Starts again after a kill, with the same directory. */
  async start(...args: readonly string[]): Promise<Server> {
    this.#client?.close();
    this.#server = await startServer({ dataDir: this.dataDir, args });
    this.#client = new Client(this.#server.port);
    return this.#server;
  }

  get server(): Server {
    if (this.#server === null) throw new Error('the test has started no server');
    return this.#server;
  }

  get client(): Client {
    if (this.#client === null) throw new Error('the test has started no server');
    return this.#client;
  }

  async #end(): Promise<void> {
    this.#client?.close();
    this.#client = null;
    this.#server = null;
    await killServers();
    removeDirectory(this.dataDir);
  }
}
