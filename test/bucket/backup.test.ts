/** Backups on an object store, as an operator makes, reads and restores them. */
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';

import { assert } from 'chai';

import { done, exported, lines, told } from '../support/maintenance.js';
import { runCli, startCli, type CliResult } from '../support/cli.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import { removeDirectory, startServer, temporaryDirectory } from '../support/server.js';

const variables = {
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
  ...{ AWS_PROFILE: '', AWS_SESSION_TOKEN: '', AWS_REGION: '', AWS_ENDPOINT_URL: '' },
};
const url = `s3://${bucketName}/backups/of-one`;

describe('backups on an object store', function () {
  this.timeout(60_000);
  let scratch = '';
  let store: ObjectStore;
  const before = new Map<string, string | undefined>();

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
    for (const [name, value] of Object.entries(variables)) {
      before.set(name, process.env[name]);
      process.env[name] = value;
    }
    process.env['AWS_ENDPOINT_URL_S3'] = store.url;
  });
  afterEach(() => {
    store.close();
    removeDirectory(scratch);
    delete process.env['AWS_ENDPOINT_URL_S3'];
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });

  const place = (name: string): string => path.join(scratch, name);
  const call = (...args: readonly string[]): Promise<CliResult> => runCli(args);
  const written = (kind: string): number =>
    store.asked.filter((line) => line.startsWith(`PUT /${bucketName}/backups/of-one/${kind}`))
      .length;

  /** Another store, with faults; the objects of the one before do not come along. */
  async function replaceStore(faults: Parameters<typeof startObjectStore>[0]): Promise<void> {
    store.close();
    store = await startObjectStore(faults);
    process.env['AWS_ENDPOINT_URL_S3'] = store.url;
  }

  /** Stores samples in a directory that no server has open afterwards. */
  async function load(name: string, text: string): Promise<void> {
    const { code, err } = await runCli(['ingest', '-', '--into', place(name)], { input: text });
    assert.strictEqual(code, 0, err);
  }

  async function create(name: string, text: string): Promise<void> {
    const server = await startServer({ dataDir: place(name) });
    await server.stop();
    await load(name, text);
  }

  it('are incremental, verified, and restored with all that was acknowledged', async () => {
    await create('data', lines('cpu', 0, 3000));
    // As the completion of a shell writes a directory.
    const first = await told(['backup', `${url}/`, `${place('data')}/`]);
    assert.deepInclude(first, { status: 'ok', present: 0, damaged: 0 });
    const objects = written('objects/');
    assert.isAbove(objects, 0);
    await load('data', lines('mem', 0, 1000));
    done(await call('snapshot', 'create', 'both', place('data')));
    await load('data', lines('late', 0, 10));
    const second = await told(['backup', url, place('data')]);
    assert.strictEqual(second['database_id'], first['database_id']);
    assert.isAbove(Number(second['entry']), Number(first['entry']));
    assert.strictEqual(second['present'], objects);
    assert.strictEqual(written('objects/'), objects + Number(second['files']));

    assert.match(done(await call('verify', url)), /no damage/);
    done(await call('restore', `${url}/`, place('latest')));
    assert.strictEqual(await exported([place('latest')]), await exported([place('data')]));
    done(await call('restore', url, place('both'), '--snapshot', 'both'));
    const both = await exported([place('data'), '--as-of', 'both']);
    assert.strictEqual(await exported([place('both')]), both);
    done(await call('restore', url, place('first'), '--entry', String(first['entry'])));
    const firstLines = (await exported([place('first')])).trim().split('\n');
    assert.lengthOf(firstLines, 3000);
    // What is restored is a database that goes on, and not the one whose backups these are.
    await load('latest', lines('next', 0, 5));
    const other = await call('backup', url, place('latest'));
    assert.strictEqual(other.code, 1);
    assert.match(other.err, /another database/);
  });

  it('forget what neither the last ones nor snapshots need', async () => {
    await create('data', lines('cpu', 0, 3000));
    const first = await told(['backup', url, place('data'), '--keep', '1']);
    const kept = [...store.objects.keys()].filter((key) => key.includes('/objects/'));
    await load('data', lines('cpu', 3000, 3000));
    done(await call('compact', place('data')));
    const last = await told(['backup', url, place('data'), '--keep', '1']);
    assert.isAbove(Number(last['removed']), 0);
    const gone = kept.filter((key) => !store.objects.has(key));
    assert.isNotEmpty(gone);
    const late = await call('restore', url, place('old'), '--entry', String(first['entry']));
    assert.notStrictEqual(late.code, 0);
    done(await call('restore', url, place('new')));
    assert.strictEqual(await exported([place('new')]), await exported([place('data')]));
  });

  it('survive broken connections and a store that answers late', async () => {
    await create('data', lines('cpu', 0, 2000));
    await replaceStore({ breaksEvery: 3 });
    assert.deepInclude(await told(['backup', url, place('data')]), { status: 'ok' });
    done(await call('restore', url, place('again')));
    assert.strictEqual(await exported([place('again')]), await exported([place('data')]));
  });

  /** Waits until the store was asked so often for what a backup does, and not the test before. */
  async function untilAsked(count: number): Promise<void> {
    const isWork = (line: string): boolean => !/nodes(\/|%2F)|\?(versioning|lifecycle)/.test(line);
    while (store.asked.filter(isWork).length < count) await sleep(1);
  }

  it('go on behind a SIGKILL, wherever it comes', async () => {
    await create('data', lines('cpu', 0, 2000));
    await replaceStore({ delayMs: 10 });
    for (const count of [4, 7, 10]) {
      store.asked.length = 0;
      const { child, result } = startCli(['backup', url, place('data')], { env: variables });
      await Promise.race([untilAsked(count), result]);
      child.kill('SIGKILL');
      assert.isNull((await result).code);
    }
    done(await call('backup', url, place('data')));
    assert.match(done(await call('verify', url)), /no damage/);
    done(await call('restore', url, place('again')));
    assert.strictEqual(await exported([place('again')]), await exported([place('data')]));
  });

  it('end soon at Ctrl-C, also if the store is silent', async () => {
    await create('data', lines('cpu', 0, 2000));
    done(await call('backup', url, place('data')));
    const { objects } = store;
    for (const args of [
      ['verify', url],
      ['restore', url, place('again')],
    ]) {
      await replaceStore({ delayMs: 60_000 });
      for (const [key, bytes] of objects) (store.objects as Map<string, Buffer>).set(key, bytes);
      const { child, result } = startCli(args, { env: variables });
      await untilAsked(1);
      const began = performance.now();
      child.kill('SIGINT');
      assert.strictEqual((await result).code, 130);
      assert.isBelow(performance.now() - began, 20_000);
    }
  });

  it('are not written to a store that ignores the condition', async () => {
    await create('data', lines('cpu', 0, 10));
    await replaceStore({ isIgnoring: true });
    const { code, err } = await call('backup', url, place('data'));
    assert.strictEqual(code, 1);
    assert.match(err, /is not fit for backups: .* writers created the same key/);
    assert.deepEqual([...store.objects.keys()], []);
  });

  it('say what is damaged or missing', async () => {
    await create('data', lines('cpu', 0, 2000));
    done(await call('backup', url, place('data')));
    const [segment = ''] = [...store.objects.keys()].filter((key) => key.includes('/objects/'));
    const bytes = Buffer.from(store.objects.get(segment) ?? '');
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    (store.objects as Map<string, Buffer>).set(segment, bytes);
    const verified = await call('verify', url);
    assert.strictEqual(verified.code, 3, verified.out + verified.err);
    const name = segment.slice(segment.indexOf('objects/'));
    assert.include(verified.out + verified.err, name);
    const restored = await call('restore', url, place('again'));
    assert.strictEqual(restored.code, 3);
    assert.include(restored.err, name);
  });

  it('refuse what is no backup, and say so', async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['restore', url, place('x')], 1, /there is no database in s3:/],
      [['verify', url], 1, /there is no database in s3:/],
      [['restore', 's3://other-bucket/x', place('x')], 1, /NoSuchBucket/],
      [['restore', 's3://Metrics', place('x')], 2, /a bucket has 3 to 63 small letters/],
      [['restore', url, place('x'), '--entry', '0'], 2, /It must be the number of an entry/],
      [['backup', url, place('data'), '--keep', '0'], 2, /It must be a number from 1 to 999/],
      [
        ['backup', place('y'), place('data'), '--keep', '3'],
        2,
        /--keep is for backups on an object/,
      ],
      [['restore', place('y'), place('x'), '--entry', '3'], 2, /--entry is for backups on an obj/],
      [['verify', url, '--url', 'http://x'], 2, /a server/],
    ];
    for (const [args, code, text] of wrong) {
      const answer = await call(...args);
      assert.strictEqual(answer.code, code, args.join(' ') + answer.err);
      assert.match(answer.err, text);
    }
  });
});
