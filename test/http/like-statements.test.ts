import { assert } from 'chai';

import { likeStatement } from '../support/like-statements.js';
import { Client } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const hosts = ['a', 'b', "it's", ''];
const lines = ['cpu', 'cpu.user', 'm'].flatMap((metric, at) =>
  hosts.flatMap((host) =>
    Array.from({ length: 40 }, (_, step) => {
      const labels = host === '' ? {} : { host, zone: `e${at}` };
      return JSON.stringify({ metric, labels, ts: step * 30_000 - 5, value: step * 0.5 + at });
    }),
  ),
);

describe(`answers to statements that differ in FROM and WHERE (seed ${testSeed})`, () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: directory });
    client = new Client(server.port);
    await client.ingest(lines.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const answerTo = async (text: string): Promise<string> => {
    const { status, body } = await client.request('POST', '/api/v1/seriesql', { body: text });
    return `${status} ${body.replace(/"stats":.*/, '')}`;
  };

  it('are what each is answered when nothing is known of the others', async () => {
    const random = new Random(testSeed);
    let rows = 0;
    for (let round = 0; round < 1500; round++) {
      const text = likeStatement(random);
      // The time now would differ.
      if (text.includes('now()')) continue;
      const shared = await answerTo(text);
      // By what stands behind it no other is like it.
      const alone = await answerTo(`${text}\n-- ${round}`);
      assert.strictEqual(shared, alone, text);
      if (shared.startsWith('200') && !shared.includes('"rows":[]')) rows += 1;
    }
    assert.isAbove(rows, 100);
  });
});
