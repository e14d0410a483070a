/** Servers whose database has its home in a bucket: what a lost disk or a second server does. */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { refusedStart, startBucketServer } from '../support/bucket-server.js';
import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { lines } from '../support/maintenance.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import { Random, testSeed } from '../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const acked = ['--bucket-ack', 'bucket', '--bucket-group-ms', '10'];

interface BucketState {
  readonly epoch: number;
  readonly entry: number;
  readonly lag_seconds: number;
  readonly unshipped_bytes: number;
  readonly fenced: boolean;
  readonly failure?: string;
}

async function bucketOf(server: Server): Promise<BucketState> {
  const { body } = await new Client(server.port).request('GET', '/status');
  return (JSON.parse(body) as { readonly bucket: BucketState }).bucket;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i += 1) {
    if (await isTrue()) return;
    await sleep(25);
  }
  assert.fail('it did not come true within ten seconds');
}

const isShipped = (server: Server) => async (): Promise<boolean> => {
  const { entry, unshipped_bytes: left } = await bucketOf(server);
  return entry > 0 && left === 0;
};

async function send(server: Server, text: string): Promise<number> {
  const client = new Client(server.port);
  const { status } = await client.request('POST', '/api/v1/ingest', { body: text });
  client.close();
  return status;
}

async function countOf(server: Server, metric = 'cpu'): Promise<number> {
  const client = new Client(server.port);
  const query = `select count(value) as n from ${metric} where time >= 0 and time < 1000000`;
  const asked = { body: JSON.stringify({ query }) };
  const { status, body } = await client.request('POST', '/api/v1/seriesql', asked);
  client.close();
  if (status !== 200) return 0;
  return Number(/\[\[(\d+)\]\]/.exec(body)?.[1] ?? NaN);
}

describe('a database whose home is a bucket', function () {
  this.timeout(120_000);
  let scratch = '';
  let store: ObjectStore;

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
    process.env['AWS_ACCESS_KEY_ID'] = keys.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = keys.secretAccessKey;
  });
  afterEach(async () => {
    await killServers();
    store.close();
    removeDirectory(scratch);
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
  });
  const place = (name: string): string => path.join(scratch, name);

  it(`has every acknowledged sample after kills with the directory gone (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    let sent = 0;
    for (let round = 0; round < 6; round += 1) {
      const dataDir = place(`machine-${String(round)}`);
      const server = await startBucketServer({ dataDir, store, args: acked });
      assert.strictEqual(await countOf(server), sent);
      for (let i = 0; i < 5; i += 1) {
        const count = 1 + random.below(50);
        assert.strictEqual(await send(server, lines('cpu', sent, count)), 200);
        sent += count;
      }
      await server.kill();
    }
  });

  it('goes on in its directory after a kill, and fetches nothing', async () => {
    const dataDir = place('data');
    const first = await startBucketServer({ dataDir, store });
    assert.strictEqual(await send(first, lines('cpu', 0, 100)), 200);
    await until(isShipped(first));
    await first.kill();
    const second = await startBucketServer({ dataDir, store });
    assert.strictEqual(await countOf(second), 100);
    assert.strictEqual((await bucketOf(second)).epoch, 2);
    await second.stop();
    assert.notInclude(readdirSync(dataDir), 'quarantine');
  });

  it('takes writes while the store is away, says so, and catches up', async () => {
    const server = await startBucketServer({ dataDir: place('data'), store });
    await until(isShipped(server));
    store.setAway(true);
    for (let i = 0; i < 10; i += 1) {
      assert.strictEqual(await send(server, lines('cpu', 10 * i, 10)), 200);
    }
    await until(async () => (await bucketOf(server)).failure !== undefined);
    assert.isAbove((await bucketOf(server)).lag_seconds, 0);
    store.setAway(false);
    await until(isShipped(server));
    await until(async () => (await bucketOf(server)).failure === undefined);
    await server.kill();
    const other = await startBucketServer({ dataDir: place('other'), store });
    assert.strictEqual(await countOf(other), 100);
    await other.stop();
  });

  it('answers 503 where an acknowledgement waits for a store that is away', async () => {
    const args = [...acked, '--bucket-wait-ms', '300'];
    const server = await startBucketServer({ dataDir: place('data'), store, args });
    assert.strictEqual(await send(server, lines('cpu', 0, 10)), 200);
    store.setAway(true);
    const client = new Client(server.port);
    const answer = await client.request('POST', '/api/v1/ingest', { body: lines('cpu', 10, 10) });
    client.close();
    assert.strictEqual(answer.status, 503);
    assert.include(answer.body, 'bucket_unavailable');
    assert.include(answer.body, 'send it again');
    assert.isDefined(answer.headers['retry-after']);
    store.setAway(false);
    await until(async () => (await send(server, lines('cpu', 10, 10))) === 200);
    await server.kill();
    const other = await startBucketServer({ dataDir: place('other'), store, args: acked });
    assert.strictEqual(await countOf(other), 20);
    await other.stop();
  });

  it('belongs to the server that started last; the other one reads, and comes back as a copy', async () => {
    const one = await startBucketServer({ dataDir: place('one'), store });
    assert.strictEqual(await send(one, lines('cpu', 0, 10)), 200);
    await until(isShipped(one));
    const two = await startBucketServer({ dataDir: place('two'), store });
    assert.strictEqual(await send(two, lines('cpu', 100, 10)), 200);
    await send(one, lines('lost', 0, 5));
    await until(async () => (await bucketOf(one)).fenced);
    const client = new Client(one.port);
    const refused = await client.request('POST', '/api/v1/ingest', { body: lines('cpu', 0, 1) });
    client.close();
    assert.strictEqual(refused.status, 503);
    assert.include(refused.body, 'fenced');
    assert.strictEqual(await countOf(one), 10);
    await until(isShipped(two));
    await two.stop();
    await one.stop();
    const again = await startBucketServer({ dataDir: place('one'), store });
    assert.strictEqual(await countOf(again), 20);
    assert.strictEqual(await countOf(again, 'lost'), 0);
    const { output } = await again.stop();
    assert.include(output, 'quarantine');
    const aside = readdirSync(path.join(place('one'), 'quarantine'));
    const kept = aside.find((name) => name.startsWith('bucket-')) ?? '';
    // What was set aside is a whole database, with the samples that the bucket never got.
    const exported = await runCli(['export', path.join(place('one'), 'quarantine', kept)]);
    assert.strictEqual(exported.code, 0, exported.err);
    assert.include(exported.out, '"lost"');
  });

  it('stays with its server if another one cannot listen', async () => {
    const one = await startBucketServer({ dataDir: place('one'), store, args: acked });
    assert.strictEqual(await send(one, lines('cpu', 0, 10)), 200);
    mkdirSync(place('two'));
    const args = ['--listen', `127.0.0.1:${String(one.port)}`];
    const { code, output } = await refusedStart({ dataDir: place('two'), store, args });
    assert.notStrictEqual(code, 0);
    assert.include(output, 'cannot listen');
    assert.strictEqual(await send(one, lines('cpu', 10, 10)), 200);
    assert.isFalse((await bucketOf(one)).fenced);
    await one.stop();
  });

  it('is no place for backups, and no backup is a home', async () => {
    const server = await startBucketServer({ dataDir: place('data'), store });
    assert.strictEqual(await send(server, lines('cpu', 0, 10)), 200);
    await until(isShipped(server));
    const url = `s3://${bucketName}/db`;
    const access = ['--endpoint', store.url];
    const plain = await startServer({ dataDir: place('plain') });
    await plain.stop();
    const backup = await runCli(['backup', url, place('plain'), ...access]);
    assert.strictEqual(backup.code, 1, backup.err);
    const restored = await runCli(['restore', url, place('restored'), ...access]);
    assert.notStrictEqual(restored.code, 0);
    assert.include(restored.err, 'home of a server');
    const verified = await runCli(['verify', url, ...access]);
    assert.strictEqual(verified.code, 0, verified.err);
    assert.strictEqual(await send(server, lines('cpu', 10, 10)), 200);
    assert.isFalse((await bucketOf(server)).fenced);
    await server.stop();
  });

  it('refuses a directory that went its own way, with a sentence that says what to do', async () => {
    const dataDir = place('data');
    const server = await startBucketServer({ dataDir, store });
    assert.strictEqual(await send(server, lines('cpu', 0, 10)), 200);
    await until(isShipped(server));
    await server.stop();
    const alone = await startServer({ dataDir });
    assert.strictEqual(await send(alone, lines('cpu', 10, 10)), 200);
    await alone.stop();
    const refused = await refusedStart({ dataDir, store });
    assert.strictEqual(refused.code, 2, refused.output);
    assert.include(refused.output, 'empty directory');
  });

  it('names the object of the bucket that is damaged', async () => {
    const server = await startBucketServer({ dataDir: place('data'), store });
    assert.strictEqual(await send(server, lines('cpu', 0, 10)), 200);
    await until(isShipped(server));
    await server.kill();
    const group = [...store.objects.keys()].find((key) => key.includes('/log-')) ?? '';
    const bytes = store.objects.get(group) ?? Buffer.alloc(0);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const refused = await refusedStart({ dataDir: place('other'), store });
    assert.notStrictEqual(refused.code, 0);
    assert.match(refused.output, /group 1\/\d+: its checksum/);
  });

  it('deletes of the bucket only what segments have', async () => {
    const dataDir = place('data');
    const server = await startBucketServer({
      dataDir,
      store,
      args: ['--memtable-max-bytes', '1048576'],
    });
    for (let i = 0; i < 20; i += 1) {
      assert.strictEqual(await send(server, lines('cpu', 2000 * i, 2000)), 200);
    }
    await until(isShipped(server));
    await server.stop();
    const other = await startBucketServer({ dataDir: place('other'), store });
    assert.strictEqual(await countOf(other), 40_000);
    await other.stop();
  });
});
