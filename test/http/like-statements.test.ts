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
    // In a truncated text the error is at the end, whose place differs.
    return `${status} ${body.replace(/"stats":.*/, '').replace(/"error":".*(?="code")/, '')}`;
  };

  it('are the same as for each statement alone', async () => {
    const random = new Random(testSeed);
    let rows = 0;
    for (let round = 0; round < 1500; round++) {
      const text = likeStatement(random);
      // now() would differ.
      if (text.includes('now()')) continue;
      const shared = await answerTo(text);
      // The comment makes the statement unlike any other.
      const alone = await answerTo(`${text}\n-- ${round}`);
      assert.strictEqual(shared, alone, text);
      if (shared.startsWith('200') && !shared.includes('"rows":[]')) rows += 1;
    }
    assert.isAbove(rows, 40);
  });
});

describe('answers of the fast path', () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: directory, args: ['--max-query-rows', '50'] });
    client = new Client(server.port);
    const samples = Array.from({ length: 60 }, (_, at) => `{"metric":"many","ts":${at},"value":1}`);
    await client.ingest(samples.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });

  it('obey the row limit each time', async () => {
    const countOf = async (text: string, end: number): Promise<number | string> => {
      const body = text.replace('END', String(end));
      const answer = await client.request('POST', '/api/v1/seriesql', { body });
      const { code, rows } = JSON.parse(answer.body) as { code?: string; rows?: unknown[] };
      return code ?? rows?.length ?? 'nothing';
    };
    for (const text of [
      'select value from many where time >= 0 and time < END',
      'select time_bucket(1ms, time) as t, max(value) from many where time < END group by t',
    ]) {
      for (let round = 0; round < 5; round++) {
        assert.strictEqual(await countOf(text, 50 - round), 50 - round, text);
        assert.strictEqual(await countOf(text, 51 + round), 'query_limit_exceeded', text);
      }
    }
  });
});
