/** Queries of past states: their memory, and its release. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { Client, type Answer } from '../support/client.js';
import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import { allThreadsServe, askingOf, listenerFlags } from '../support/listener-threads.js';
import { codeOf } from '../support/long-query.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const kMiB = 1024 * 1024;
const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
const clients: Client[] = [];

function clientOf(server: Server): Client {
  const client = new Client(server.port);
  clients.push(client);
  return client;
}

const figure = async (server: Server, name: string): Promise<number> => {
  const { body } = await ask(server.port, '/metrics');
  return sampleOf(parseExposition(body), `seriesdb_${name}`);
};

const flush = async (server: Server): Promise<void> => {
  const { status } = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
  assert.strictEqual(status, 200);
};

async function fill(server: Server, count: number): Promise<void> {
  const client = clientOf(server);
  for (let from = 0; from < count; from += 5000) {
    const line = (at: number): string =>
      `{"metric":"m","labels":{"host":"h${String(from + at)}"},"ts":1,"value":1}\n`;
    const body = Array.from({ length: 5000 }, (_, at) => line(at)).join('');
    const answer = await client.request('POST', '/api/v1/ingest', { body });
    assert.strictEqual(answer.status, 200, answer.body);
  }
  await flush(server);
}

async function countAsOf(client: Client, asOf: string): Promise<Answer> {
  const path = `/api/v1/seriesql?as_of=${encodeURIComponent(asOf)}`;
  return await client.request('POST', path, { body: 'select count(value) from m where time >= 0' });
}

const anonymousBytes = (server: Server): number => {
  const status = readFileSync(`/proc/${String(server.pid)}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024;
};

describe('past states', function () {
  this.timeout(120_000);
  let dataDir: string;
  beforeEach(() => {
    dataDir = temporaryDirectory();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await killServers();
  });
  const start = async (...args: readonly string[]): Promise<Server> =>
    await startServer({ dataDir, args: [...withAdmin, ...args] });
  const threadCount = (server: Server): number =>
    readdirSync(`/proc/${String(server.pid)}/task`).length;
  const snapshot = async (server: Server, name: string): Promise<void> => {
    const path = `/__admin/snapshot/create?name=${name}`;
    const { status, body } = await ask(server.adminPort, path, { method: 'POST' });
    assert.isBelow(status, 300, body);
  };
  const isGivenBack = async (server: Server): Promise<void> => {
    const deadline = performance.now() + 30_000;
    while ((await figure(server, 'memory_past_bytes')) > 0) {
      assert.isBelow(performance.now(), deadline, 'the state stays open');
      await sleep(50);
    }
  };

  it('return their memory to the system, including that of their own threads', async () => {
    const server = await start();
    await fill(server, 120_000);
    const client = clientOf(server);
    const commits = 6;
    for (let at = 0; at < commits; at += 1) {
      await snapshot(server, `s${String(at)}`);
      assert.strictEqual(await client.ingest(`{"metric":"n","ts":${String(at)},"value":1}\n`), 1);
      await flush(server);
    }
    const before = anonymousBytes(server);
    for (let at = 0; at < commits; at += 1) {
      assert.strictEqual((await countAsOf(client, `s${String(at)}`)).status, 200);
    }
    await isGivenBack(server);
    // The account is at 0 shortly before the pages are back.
    const deadline = performance.now() + 10_000;
    const left = (): number => (anonymousBytes(server) - before) / kMiB;
    while (left() >= 30 && performance.now() < deadline) await sleep(50);
    assert.isBelow(left(), 30, 'MiB that six states left');
  });

  it('are released with their threads after their last query', async () => {
    const server = await start();
    await fill(server, 40_000);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const client = clientOf(server);
    for (const [at, name] of names.entries()) {
      await snapshot(server, name);
      assert.strictEqual(await client.ingest(`{"metric":"n","ts":${String(at)},"value":1}\n`), 1);
      await flush(server);
    }
    assert.strictEqual((await countAsOf(client, 'a')).status, 200);
    await isGivenBack(server);
    const threads = threadCount(server);
    const index = await figure(server, 'memory_index_bytes');
    for (const name of names) {
      for (const path of [
        `query/range?metric=n&start=0&end=9&as_of=${name}`,
        `export?metric=n&as_of=${name}`,
      ]) {
        const { status, body } = await client.get(`/api/v1/${path}`);
        assert.strictEqual(status, 200, body);
      }
      const counted = await countAsOf(client, name);
      assert.include(counted.body, '"rows":[[40000]]');
      // At most two are held at a time, and closed ones are freed.
      assert.isBelow(await figure(server, 'memory_past_bytes'), 3.5 * index);
    }
    await isGivenBack(server);
    assert.isAtMost(threadCount(server), threads);
  });

  it('are refused before opening if memory has no room', async () => {
    const server = await start();
    await fill(server, 60_000);
    await snapshot(server, 'large');
    await server.stop();
    const tight = await start('--memory-limit-bytes', String(14 * kMiB));
    const client = clientOf(tight);
    const refused = await countAsOf(client, 'large');
    assert.deepEqual([refused.status, codeOf(refused)], [422, 'query_limit_exceeded']);
    assert.include(refused.body, `memory_limit_bytes = ${String(14 * kMiB)}`);
    const range = await client.get('/api/v1/query/range?metric=n&start=0&end=9&as_of=large');
    assert.strictEqual(codeOf(range), 'query_limit_exceeded');
    assert.strictEqual(await figure(tight, 'memory_past_bytes'), 0);
    await tight.stop();
    const wide = await start();
    assert.strictEqual((await countAsOf(clientOf(wide), 'large')).status, 200);
  });

  it('are shared by listener threads', async () => {
    const server = await start(...listenerFlags(4));
    await fill(server, 40_000);
    await snapshot(server, 'all');
    await allThreadsServe(askingOf(server.port), 4);
    const index = await figure(server, 'memory_index_bytes');
    const asking = Array.from({ length: 16 }, async () => {
      const client = clientOf(server);
      for (let round = 0; round < 4; round += 1) {
        assert.include((await countAsOf(client, 'all')).body, '"rows":[[40000]]');
      }
    });
    let most = 0;
    const over = new AbortController();
    const looking = (async () => {
      while (!over.signal.aborted) {
        most = Math.max(most, await figure(server, 'memory_past_bytes'));
      }
    })();
    await Promise.all(asking);
    over.abort();
    await looking;
    assert.isAbove(most, 0);
    assert.isBelow(most, 2.5 * index);
    await isGivenBack(server);
  });
});
