/** REFS lost its last edits while the server was stopped; the status reports it. */
import { statSync, truncateSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('a truncated REFS', function () {
  this.timeout(60_000);
  const dataDir = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  /** The result of `ask` on a server that then stops orderly, which flushes. */
  async function served<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const server = await startServer({ dataDir });
    const client = new Client(server.port);
    const told = await ask(client);
    client.close();
    assert.strictEqual((await server.stop()).code, 0);
    return told;
  }
  const stateOf = async (client: Client): Promise<{ status: string; reasons: string[] }> => {
    const body = (await client.get('/status')).body;
    return { reasons: [], ...(JSON.parse(body) as { status: string }) };
  };
  const range = { metric: 'm', start: 0n, end: 10n };

  it('makes the status degraded until the next start, and loses no sample', async () => {
    const refs = path.join(dataDir, 'REFS');
    const add = async (ts: number): Promise<string> =>
      served(async (client) => {
        await client.ingest(`{"metric":"m","ts":${String(ts)},"value":1}\n`);
        return (await stateOf(client)).status;
      });
    await add(1);
    const size = statSync(refs).size;
    assert.strictEqual(await add(2), 'ok');
    assert.isAbove(statSync(refs).size, size);
    truncateSync(refs, size);
    await served(async (client) => {
      const { status, reasons } = await stateOf(client);
      assert.strictEqual(status, 'degraded');
      assert.match(reasons.join(), /REFS lacked edits/);
      assert.match((await client.get('/metrics')).body, /^seriesdb_degraded\{.*\} 1$/m);
      assert.lengthOf(await client.rangeGet(range), 2);
    });
    await served(async (client) => {
      assert.strictEqual((await stateOf(client)).status, 'ok');
      assert.lengthOf(await client.rangeGet(range), 2);
    });
  });
});
