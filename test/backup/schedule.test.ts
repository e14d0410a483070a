/** Backups that a server makes by its schedule. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { waitMs } from '../../src/backup/schedule.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { scheduleOf } from '../../src/open-backups.js';
import { Client } from '../support/client.js';
import { done, exported, ingest, lines } from '../support/maintenance.js';
import { runCli } from '../support/cli.js';
import { bucketName, keys, startObjectStore, type ObjectStore } from '../support/object-store.js';
import {
  killServers,
  removeDirectory,
  runCommand,
  serveArguments,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

interface Told {
  readonly to: string;
  readonly every_seconds: number;
  readonly running: boolean;
  readonly last_success?: string;
  readonly last_outcome?: string;
  readonly last_failure?: string;
}

const url = `s3://${bucketName}/scheduled`;
const settingsOf = (values: Record<string, unknown>) =>
  resolveSettings({ file: new Map(Object.entries(values)) }).settings;

describe('the settings of backups by schedule', () => {
  it('are off, and once a day', () => {
    const settings = settingsOf({});
    assert.isNull(scheduleOf(settings, {}));
    assert.deepEqual([settings['backup.every'], settings['backup.keep']], [86_400_000, 7]);
  });

  const refused: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ 'backup.to': 'backups' }, /backup\.to must be s3:.* or the absolute path/],
    [{ 'backup.every': '10ms' }, /backup\.every must be a duration from 1000/],
    [{ 'backup.keep': 0 }, /backup\.keep must be an integer from 1 to 999/],
    [{ 'backup.access_key_id': 'AK' }, /backup\.secret_access_key is missing/],
    [{ 'backup.session_token': 'x' }, /backup\.session_token needs backup\.access_key_id/],
    [{ 'backup.to': 's3://M' }, /a bucket has 3 to 63 small letters/],
    [{ 'backup.to': url, 'backup.endpoint': 'ftp://x' }, /no endpoint of an object store/],
    [{ 'backup.to': url }, /no keys for the object store/],
  ];
  for (const [values, reason] of refused) {
    it(`are refused: ${JSON.stringify(values)}`, () => {
      assert.throws(() => scheduleOf(settingsOf(values), {}), reason);
    });
  }

  it('take nothing of the bucket of the database', () => {
    const bucket = { 'bucket.access_key_id': 'AK', 'bucket.secret_access_key': 'secret' };
    assert.throws(() => scheduleOf(settingsOf({ 'backup.to': url, ...bucket }), {}), /no keys/);
  });

  it('wait a minute at first, and a tenth after a failure', () => {
    const hour = 3_600_000;
    assert.deepEqual(
      [waitMs('start', hour), waitMs('success', hour), waitMs('failure', 24 * hour)],
      [60_000, hour, 2.4 * hour],
    );
    assert.deepEqual([waitMs('failure', 120_000), waitMs('start', 1000)], [60_000, 1000]);
  });
});

describe('backups by schedule', function () {
  this.timeout(60_000);
  let scratch = '';
  let store: ObjectStore;
  const place = (name: string): string => path.join(scratch, name);

  beforeEach(async () => {
    scratch = temporaryDirectory();
    store = await startObjectStore();
  });
  afterEach(async () => {
    await killServers();
    store.close();
    removeDirectory(scratch);
  });

  const environment = (): Record<string, string> => ({
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    ...{ AWS_PROFILE: '', AWS_SESSION_TOKEN: '', AWS_REGION: '', AWS_ENDPOINT_URL_S3: '' },
  });

  function start(to: string, every: string, more: readonly string[] = []): Promise<Server> {
    const flags = ['--backup-to', to, '--backup-every', every, '--backup-endpoint', store.url];
    const args = [...flags, '--log-level', 'info', ...more];
    return startServer({ dataDir: place('data'), args, env: environment() });
  }

  async function textOf(server: Server, target: string): Promise<string> {
    const client = new Client(server.port);
    const { body } = await client.request('GET', target);
    client.close();
    return body;
  }

  const statusOf = async (server: Server): Promise<Told> =>
    (JSON.parse(await textOf(server, '/status')) as { readonly backup: Told }).backup;

  async function until(server: Server, isSo: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const told = await statusOf(server);
      if (isSo(told)) return told;
      await sleep(20);
    }
  }

  /** The samples of the metrics of backups, without the prefix. */
  async function metricsOf(server: Server): Promise<ReadonlyMap<string, number>> {
    const found = (await textOf(server, '/metrics')).matchAll(/^seriesdb_backup_(\S+) (\S+)$/gm);
    return new Map([...found].map(([, name = '', value = '']) => [name, Number(value)]));
  }

  it('are made, told, and restored', async () => {
    const server = await start(url, '1s', ['--backup-keep', '2']);
    await ingest(server, lines('cpu', 0, 500));
    const first = await statusOf(server);
    assert.deepInclude(first, { to: url, every_seconds: 1 });
    assert.doesNotHaveAnyKeys(first, ['last_success', 'last_failure']);
    assert.isFalse((await metricsOf(server)).has('age_seconds'));
    const told = await until(server, ({ last_success: at }) => at !== undefined);
    assert.deepInclude(told, { last_outcome: 'ok' });
    await until(server, ({ last_success: at }) => at !== told.last_success);
    const metrics = await metricsOf(server);
    assert.isBelow(metrics.get('age_seconds') ?? NaN, 5);
    assert.isAbove(metrics.get('seconds') ?? NaN, 0);
    assert.isAtLeast(metrics.get('total{outcome="ok"}') ?? NaN, 2);
    assert.deepEqual(
      [metrics.get('failed'), metrics.get('every_seconds'), metrics.get('total{outcome="failed"}')],
      [0, 1, 0],
    );
    const { output, code } = await server.stop();
    assert.strictEqual(code, 0);
    assert.match(output, /"a backup was made","to":"s3:[^}]*"entry":1/);
    assert.notInclude(output, keys.secretAccessKey);
    assert.notInclude(output, keys.accessKeyId);
    const env = { ...environment(), AWS_ENDPOINT_URL_S3: store.url };
    done(await runCli(['restore', url, place('again')], { env }));
    assert.strictEqual(await exported([place('again')]), await exported([place('data')]));
  });

  it('are tried again when they failed', async () => {
    store.setAway(true);
    const server = await start(url, '1s');
    const failed = await until(server, ({ last_outcome: outcome }) => outcome === 'failed');
    assert.match(failed.last_failure ?? '', /is not fit for backups: the store does not answer/);
    assert.notProperty(failed, 'last_success');
    assert.strictEqual((await metricsOf(server)).get('failed'), 1);
    store.setAway(false);
    const healed = await until(server, ({ last_outcome: outcome }) => outcome === 'ok');
    assert.notProperty(healed, 'last_failure');
    const metrics = await metricsOf(server);
    assert.strictEqual(metrics.get('failed'), 0);
    assert.isAtLeast(metrics.get('total{outcome="failed"}') ?? NaN, 1);
    const { output } = await server.stop();
    assert.match(output, /"a backup failed"/);
    assert.match(output, /"a backup was made"/);
  });

  it('go to a directory as well, and a stop ends the one that runs', async () => {
    const server = await start(place('copies'), '1s');
    await ingest(server, lines('cpu', 0, 500));
    await until(server, ({ last_outcome: outcome }) => outcome === 'ok');
    assert.strictEqual((await server.stop()).code, 0);
    done(await runCli(['restore', place('copies'), place('again')]));
    assert.strictEqual(await exported([place('again')]), await exported([place('data')]));
    store.close();
    store = await startObjectStore({ delayMs: 60_000 });
    const silent = await start(url, '1s');
    await until(silent, ({ running }) => running);
    const began = performance.now();
    const { code, output } = await silent.stop();
    assert.strictEqual(code, 0);
    assert.isBelow(performance.now() - began, 8_000);
    assert.notInclude(output, 'a backup failed');
  });

  it('follow a reload of every and keep; a new target waits for a restart', async () => {
    const file = place('settings.toml');
    const write = (every: string, to: string): void => {
      const store_ = `endpoint = "${store.url}"\n`;
      writeFileSync(file, `[backup]\nto = "${to}"\nevery = "${every}"\n${store_}`);
    };
    write('1d', url);
    const server = await startServer({
      dataDir: place('data'),
      args: ['--config', file, '--log-level', 'info'],
      env: environment(),
    });
    assert.strictEqual((await statusOf(server)).every_seconds, 86_400);
    write('1s', place('elsewhere'));
    server.hangUp();
    const told = await until(server, ({ last_outcome: outcome }) => outcome === 'ok');
    assert.deepInclude(told, { to: url, every_seconds: 1 });
    const { output } = await server.stop();
    assert.match(output, /needs a restart","key":"backup\.to"/);
  });

  it('stop a start with wrong settings', async () => {
    const options = { dataDir: place('data'), args: ['--backup-to', 's3://M/x'] };
    const { code, output } = await runCommand(serveArguments(options), environment());
    assert.strictEqual(code, 2, output);
    assert.match(output, /a bucket has 3 to 63 small letters/);
  });
});
