/** A server on a bucket from outside: its start, its refusals, what it tells, its stop. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { bucketUrl, refusedStart, startBucketServer } from '../support/bucket-server.js';
import { runCli, startCli } from '../support/cli.js';
import { parseExposition } from '../support/exposition-parser.js';
import { keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import { killServers, removeDirectory, temporaryDirectory } from '../support/server.js';

describe('a server on a bucket', function () {
  this.timeout(60_000);
  let scratch = '';
  let store: ObjectStore;

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
  });
  afterEach(async () => {
    await killServers();
    store.close();
    removeDirectory(scratch);
  });

  const dataDir = (): string => path.join(scratch, 'data');

  it('tests the store, tells of it, and ends', async () => {
    const server = await startBucketServer({
      dataDir: dataDir(),
      store,
      args: ['--bucket-node', 'n1'],
    });
    assert.isAbove(store.asked.filter((line) => line.includes('/db/nodes/probe-')).length, 20);
    const status = (await (await fetch(`${server.url}/status`)).json()) as Record<string, unknown>;
    const told = status['bucket'] as Record<string, unknown>;
    assert.include(told, { url: bucketUrl(), role: 'owner', node: 'n1', ack: 'local' });
    assert.include(told, { fenced: false });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const families = parseExposition(text);
    assert.isAbove(families.get('seriesdb_bucket_requests_total')?.samples.length ?? 0, 20);
    assert.lengthOf(families.get('seriesdb_bucket_bytes_total')?.samples ?? [], 8);
    const { code, output } = await server.stop();
    assert.strictEqual(code, 0, output);
    assert.notInclude(output, keys.secretAccessKey);
  });

  it('does not start on a store that ignores the condition of a create', async () => {
    store.close();
    store = await startObjectStore({ isIgnoring: true });
    const { code, output } = await refusedStart({ dataDir: dataDir(), store });
    assert.strictEqual(code, 2, output);
    assert.match(output, /s3:\/\/metrics\/db is not fit for a database: \d+ of 20 writers created/);
    assert.isFalse(existsSync(dataDir()));
  });

  it('does not start with wrong keys or settings, and tells no secret', async () => {
    const secret = 'a-secret-of-nobody';
    const env = {
      SERIESDB_BUCKET_ACCESS_KEY_ID: 'AKNOBODY',
      SERIESDB_BUCKET_SECRET_ACCESS_KEY: secret,
    };
    const wrongKeys = await refusedStart({ dataDir: dataDir(), store, env });
    assert.strictEqual(wrongKeys.code, 2, wrongKeys.output);
    assert.include(wrongKeys.output, 'the keys may not read and list the bucket');
    assert.notInclude(wrongKeys.output, secret);
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--bucket', 'metrics/db'], /no place on an object store/],
      [['--bucket-ack', 'bucket', '--fsync', 'interval'], /--?fsync must be always|fsync must be/],
      [['--cas-mode', 'off', '--metadata-read-mode', 'legacy'], /cas_mode must be dual_write/],
      [['--bucket-ca', path.join(scratch, 'nothing')], /cannot read bucket\.ca/],
    ];
    for (const [args, reason] of cases) {
      const { code, output } = await refusedStart({ dataDir: dataDir(), store, args });
      assert.strictEqual(code, 2, output);
      assert.match(output, reason);
    }
    assert.isFalse(existsSync(dataDir()));
  });

  it('takes its keys from the settings before those of the environment, again on a reload', async () => {
    const file = path.join(scratch, 'seriesdb.toml');
    const write = (id: string): void => {
      writeFileSync(file, `[bucket]\naccess_key_id = "${id}"\nsecret_access_key = "s3cret"\n`);
    };
    write('AKOTHER');
    const args = ['--config', file, '--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];
    const refused = await refusedStart({ dataDir: dataDir(), store, args });
    assert.strictEqual(refused.code, 2, refused.output);
    writeFileSync(file, '');
    const server = await startBucketServer({ dataDir: dataDir(), store, args });
    write('AKNEXT');
    server.hangUp();
    const admin = `http://127.0.0.1:${String(server.adminPort)}/__admin/config`;
    const shown = await until(async () => {
      const text = await (await fetch(admin)).text();
      return text.includes('<redacted>') ? text : null;
    });
    assert.notInclude(shown, 's3cret');
    assert.notInclude(shown, 'AKNEXT');
    const { code, output } = await server.stop();
    assert.strictEqual(code, 0, output);
    assert.notInclude(output, 's3cret');
    const check = await runCli(['config', 'check', '--config', file]);
    assert.strictEqual(check.code, 0, check.err);
    assert.include(check.out, 'access_key_id = "<redacted>"');
    assert.notInclude(check.out + check.err, 's3cret');
    assert.include(readFileSync(file, 'utf8'), 's3cret');
  });

  it('ends at once while it waits for a store', async () => {
    store.close();
    const args = ['serve', '--data-dir', dataDir(), '--bucket', bucketUrl()];
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const server = startCli([...args, '--bucket-endpoint', store.url], { env });
    let err = '';
    await new Promise<void>((resolve) => {
      server.child.stderr?.on('data', (piece: string) => {
        err += piece;
        if (err.includes('the bucket does not answer yet')) resolve();
      });
    });
    server.child.kill('SIGTERM');
    assert.strictEqual((await server.result).code, 0);
    assert.isFalse(existsSync(dataDir()));
  });
});

/** Asks until there is an answer, for some seconds. */
async function until<Answer>(ask: () => Promise<Answer | null>): Promise<Answer> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await ask();
    if (answer !== null) return answer;
    await sleep(50);
  }
  throw new Error('nothing in five seconds');
}
