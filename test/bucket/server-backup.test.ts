/** Backups to an object store from a server that has the directory open, by command. */
import { chownSync, mkdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { bucketUrl, startBucketServer } from '../support/bucket-server.js';
import { done, exported, ingest, lines, told, withAdmin } from '../support/maintenance.js';
import { adminUrl } from '../support/maintenance.js';
import { Client } from '../support/client.js';
import { runCli, startCli, type CliResult } from '../support/cli.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const url = `s3://${bucketName}/backups/of-one`;

describe('backups of a running server on an object store', function () {
  this.timeout(60_000);
  let scratch = '';
  let store: ObjectStore;
  let server: Server;
  const place = (name: string): string => path.join(scratch, name);

  /** Only the command knows the store; the server has nothing of it in its environment. */
  const variables = (): Record<string, string> => ({
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_ENDPOINT_URL_S3: store.url,
    ...{ AWS_PROFILE: '', AWS_SESSION_TOKEN: '', AWS_REGION: '', AWS_ENDPOINT_URL: '' },
  });
  const call = (args: readonly string[], env = {}): Promise<CliResult> =>
    runCli(args, { env: { ...variables(), ...env } });
  const backUp = (...args: readonly string[]): Promise<CliResult> =>
    call(['backup', url, place('data'), ...args]);

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
    const args = [...withAdmin, '--log-level', 'debug'];
    const env = { AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_ACCESS_KEY_ID: '' };
    server = await startServer({ dataDir: place('data'), args, env });
    await ingest(server, lines('cpu', 0, 3000));
  });
  afterEach(async () => {
    await killServers();
    store.close();
    removeDirectory(scratch);
  });

  async function replaceStore(faults: Parameters<typeof startObjectStore>[0]): Promise<void> {
    store.close();
    store = await startObjectStore(faults);
  }

  /** Neither in what the server wrote and says, nor in what the command wrote. */
  async function needNoKeys(...results: readonly CliResult[]): Promise<void> {
    const said = results.flatMap(({ out, err }) => [out, err]);
    for (const [port, target] of [
      [server.port, '/status'],
      [server.port, '/metrics'],
      [server.port, '/debug/compat/catalog'],
      [server.adminPort ?? 0, '/__admin/status'],
      [server.adminPort ?? 0, '/__admin/config'],
    ] as const) {
      const client = new Client(port);
      said.push((await client.request('GET', target)).body);
      client.close();
    }
    const text = [...said, server.printed()].join('\n');
    for (const key of [keys.accessKeyId, keys.secretAccessKey, 'wrong-secret']) {
      assert.notInclude(text, key);
    }
  }

  it('have all that was acknowledged, and are incremental', async () => {
    const first = await backUp();
    assert.match(done(first), /^status +ok\n[^]*\nentry +1\n/);
    await ingest(server, lines('mem', 0, 500));
    const second = await backUp('--json', '--keep', '2');
    const end = JSON.parse(done(second).trim().split('\n').at(-1) ?? '') as object;
    assert.deepInclude(end, { kind: 'end', status: 'ok', damaged: 0, present: 1 });
    assert.match(done(await call(['verify', url])), /no damage/);
    done(await call(['restore', url, place('again')]));
    assert.strictEqual(await exported([place('again')]), await exported([place('data')]));
    await needNoKeys(first, second);
    // A directory without its server goes on with the same backups.
    assert.strictEqual((await server.stop()).code, 0);
    const third =
      done(await backUp('--json'))
        .trim()
        .split('\n')
        .at(-1) ?? '';
    assert.deepInclude(JSON.parse(third), { status: 'ok', files: 0 });
  });

  it('end at Ctrl-C, and the next one goes on', async () => {
    await replaceStore({ delayMs: 20 });
    const { child, result } = startCli(['backup', url, place('data')], { env: variables() });
    const isOfBackup = (line: string): boolean =>
      line.startsWith(`PUT /${bucketName}/backups/of-one/`) && !line.includes('nodes');
    while (!store.asked.some(isOfBackup)) await sleep(1);
    child.kill('SIGINT');
    const { code, err } = await result;
    assert.deepEqual([code, err.includes('interrupted')], [130, true]);
    // Nothing of it runs any more, neither requests nor the thread.
    let before = -1;
    while (before !== store.asked.length) {
      before = store.asked.length;
      await sleep(300);
    }
    assert.isFalse(
      [...store.objects.keys()].some((key) => key.includes('/entries/0000000000000001')),
    );
    assert.match(done(await backUp()), /status +ok/);
    assert.strictEqual((await server.stop()).code, 0);
  });

  it('end at Ctrl-C also if the store is silent, and with the server', async () => {
    await replaceStore({ delayMs: 60_000 });
    for (const end of ['SIGINT', 'stop'] as const) {
      store.asked.length = 0;
      const { child, result } = startCli(['backup', url, place('data')], { env: variables() });
      while (store.asked.length === 0) await sleep(1);
      const began = performance.now();
      if (end === 'SIGINT') child.kill('SIGINT');
      else assert.strictEqual((await server.stop()).code, 0);
      assert.strictEqual((await result).code, end === 'SIGINT' ? 130 : 1);
      assert.isBelow(performance.now() - began, 8_000);
    }
  });

  it('are refused in the same words as without a server', async () => {
    const faults: readonly (readonly [() => Promise<void>, Record<string, string>, RegExp])[] = [
      [
        () => Promise.resolve(),
        { AWS_SECRET_ACCESS_KEY: 'wrong-secret' },
        /is not fit for backups: the keys may not .*SignatureDoesNotMatch/,
      ],
      [
        () => replaceStore({ isIgnoring: true }),
        {},
        /is not fit for backups: .* writers created the same key/,
      ],
    ];
    const open: CliResult[] = [];
    for (const [prepare, env, words] of faults) {
      await prepare();
      const result = await call(['backup', url, place('data')], env);
      assert.match(result.err, words);
      open.push(result);
    }
    await needNoKeys(...open);
    assert.deepEqual([...store.objects.keys()], []);
    await server.stop();
    const closed: CliResult[] = [];
    await replaceStore({});
    for (const [prepare, env] of faults) {
      await prepare();
      closed.push(await call(['backup', url, place('data')], env));
    }
    const plain = ({ code, out, err }: CliResult) => ({
      ...{ code, out },
      err: err.replace(/\d+ of 20 writers/, '20 of 20 writers'),
    });
    assert.deepEqual(open.map(plain), closed.map(plain));
    assert.deepEqual(
      open.map(({ code }) => code),
      [1, 1],
    );
  });

  it('are one at a time', async () => {
    await replaceStore({ delayMs: 20 });
    const { result } = startCli(['backup', url, place('data')], { env: variables() });
    while (store.asked.length === 0) await sleep(1);
    const other = await backUp();
    assert.deepEqual([other.code, /another backup now/.test(other.err)], [1, true]);
    done(await result);
  });

  it('are taken from nobody but the owner', async () => {
    const byUrl = await call(['backup', url, '--url', adminUrl(server)]);
    assert.strictEqual(byUrl.code, 2);
    assert.match(byUrl.err, /sent to no server over the network/);
    const order = {
      ...{ url, endpoint: store.url, region: 'us-east-1', style: 'path', keep: 7 },
      ...{ access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey },
    };
    const body = JSON.stringify(order);
    const headers = { 'content-type': 'application/json' };
    for (const port of [server.adminPort ?? 0, server.port]) {
      const client = new Client(port);
      const answer = await client.request('POST', '/__admin/backup/store', { body, headers });
      assert.strictEqual(answer.status, 404, answer.body);
      const target = `/__admin/backup?directory=${encodeURIComponent(url)}`;
      assert.isAtLeast((await client.request('POST', target)).status, 400);
      client.close();
    }
    assert.deepEqual(store.asked, []);
    assert.strictEqual(await statusBySocket({ keep: 1 }), 400);
    assert.strictEqual(await statusBySocket({ ...order, keep: 0 }), 400);
    assert.strictEqual(await statusBySocket(order), 200);
  });

  function statusBySocket(body: object): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = http.request(
        {
          ...{ socketPath: path.join(place('data'), 'SOCKET'), method: 'POST' },
          ...{ path: '/__admin/backup/store', headers: { 'content-type': 'application/json' } },
        },
        (answer) => {
          answer.resume();
          answer.on('end', () => {
            resolve(answer.statusCode ?? 0);
          });
        },
      );
      sent.on('error', reject).end(JSON.stringify(body));
    });
  }

  it('send no keys to a socket of another user', async function () {
    // Only root can make one.
    if (process.getuid?.() !== 0) return this.skip();
    const folder = place('planted');
    mkdirSync(folder);
    const heard: string[] = [];
    const planted = http.createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end();
    });
    const socket = path.join(folder, 'SOCKET');
    await new Promise<void>((resolve) => planted.listen(socket, resolve));
    chownSync(socket, 4321, 4321);
    const { code, err } = await call(['backup', url, folder]);
    planted.close();
    assert.deepEqual([code, heard], [1, []]);
    assert.match(err, /of user 4321, who is sent no keys/);
  });

  it('of a server on a bucket go to another prefix', async () => {
    const own = await startBucketServer({ dataDir: place('own'), store });
    await ingest(own, lines('cpu', 0, 100));
    const home = await call(['backup', bucketUrl(), place('own')]);
    assert.strictEqual(home.code, 1);
    assert.match(home.err, /is the home of a server/);
    done(await call(['backup', url, place('own')]));
    await own.stop();
    done(await call(['restore', url, place('again')]));
    assert.lengthOf((await exported([place('again')])).trim().split('\n'), 100);
    assert.deepInclude(await told(['verify', place('again')]), { status: 'ok' });
  });
});
