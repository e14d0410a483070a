import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import { serverMetrics } from '../../src/operations/metrics.js';
import { Client } from '../support/client.js';
import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

interface Status {
  readonly status: string;
  readonly version: string;
  readonly timestamp_unit: string;
  readonly auth_required: boolean;
  readonly uptime_seconds: number;
  readonly cas_mode: string;
  readonly metadata_read_mode: string;
  readonly query_compiler_mode: string;
  readonly compatibility_debt: Readonly<Record<string, number>>;
  readonly runtime: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, number>>;
}

const ingestPath = '/api/v1/ingest';
const line = (ts: number): string => `{"metric":"m","ts":${String(ts)},"value":1}\n`;

describe('status, metrics and log', function () {
  this.timeout(60_000);
  let dataDir: string;
  let server: Server;
  let client: Client;
  beforeEach(async () => {
    dataDir = temporaryDirectory();
    server = await startServer({ dataDir });
    client = new Client(server.port);
  });
  afterEach(async () => {
    client.close();
    await killServers();
    removeDirectory(dataDir);
  });

  const status = async (): Promise<Status> =>
    JSON.parse((await client.get('/status')).body) as Status;
  const metrics = async () => parseExposition((await client.get('/metrics')).body);

  it('agree between /status and /metrics on every field', async () => {
    await client.ingest(line(1) + line(2));
    const { compatibility_debt: debt, runtime, memory } = await status();
    const families = await metrics();
    assert.lengthOf(Object.keys(debt), 3);
    assert.lengthOf(Object.keys(runtime), 27);
    assert.lengthOf(Object.keys(memory), 12);
    for (const [name, value] of Object.entries({ ...debt, ...runtime, ...memory })) {
      assert.strictEqual(sampleOf(families, `seriesdb_${name}`), value, name);
    }
    assert.strictEqual(runtime['ingest_total'], 2);
    assert.strictEqual(runtime['wal_append_total'], 1);
    assert.isAbove(runtime['wal_bytes_total'] ?? 0, 16);
    assert.strictEqual(sampleOf(families, 'seriesdb_up'), 1);
    assert.strictEqual(sampleOf(families, 'seriesdb_series'), 1);
  });

  it('name the version, the kernels and the process', async () => {
    const families = await metrics();
    const labels = families.get('seriesdb_build_info')?.samples[0]?.labels;
    assert.deepEqual([...(labels?.keys() ?? [])], ['version', 'commit', 'kernel', 'node']);
    assert.match(labels?.get('version') ?? '', /^\d+\.\d+\.\d+/);
    assert.match(labels?.get('commit') ?? '', /^(unknown|[0-9a-f]{12,40}(-dirty)?)$/);
    assert.match(labels?.get('kernel') ?? '', /^[a-z0-9]+$/);
    assert.strictEqual(labels?.get('node'), process.versions.node);
    assert.isAbove(sampleOf(families, 'process_open_fds'), 5);
    assert.isAbove(sampleOf(families, 'process_max_fds'), 100);
    assert.isAbove(sampleOf(families, 'process_resident_memory_bytes'), 2 ** 20);
    assert.isAbove(sampleOf(families, 'process_cpu_seconds_total'), 0);
  });

  /** Replaces the server that every test starts with. */
  const replace = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    client.close();
    await server.stop();
    removeDirectory(dataDir);
    dataDir = temporaryDirectory();
    server = await startServer({ dataDir, args, env });
    client = new Client(server.port);
  };

  it('show the working modes', async () => {
    const modes = async (): Promise<readonly string[]> => {
      const { cas_mode, metadata_read_mode, query_compiler_mode } = await status();
      return [cas_mode, metadata_read_mode, query_compiler_mode];
    };
    assert.deepEqual(await modes(), ['dual_write', 'primary', 'compiled']);
    await replace(['--query-compiler-mode', 'shadow', '--metadata-read-mode', 'shadow']);
    assert.deepEqual(await modes(), ['dual_write', 'shadow', 'shadow']);
    await replace(['--cas-mode', 'off', '--metadata-read-mode', 'legacy']);
    assert.deepEqual(await modes(), ['off', 'legacy', 'compiled']);
  });

  it('tell a client the version, the unit, whether a token is needed, and the age', async () => {
    const before = await status();
    assert.match(before.version, /^\d+\.\d+\.\d+/);
    assert.deepEqual([before.timestamp_unit, before.auth_required], ['ms', false]);
    const labels = (await metrics()).get('seriesdb_build_info')?.samples[0]?.labels;
    assert.strictEqual(labels?.get('version'), before.version);
    assert.isAbove((await status()).uptime_seconds, before.uptime_seconds);
    await replace(['--timestamp-unit', 'ns'], { SERIESDB_AUTH_TOKEN: 'secret' });
    const after = await status();
    assert.deepEqual([after.timestamp_unit, after.auth_required], ['ns', true]);
    assert.isBelow(after.uptime_seconds, 60);
  });

  it('count requests by route, method and status, and the time of each stage', async () => {
    await client.ingest(line(1));
    await client.request('POST', ingestPath, { body: 'x' });
    await client.request('DELETE', '/status');
    await client.get('/no/such/path');
    const families = await metrics();
    const count = (route: string, method: string, code: string): number =>
      sampleOf(families, 'seriesdb_http_requests_total', { route, method, status: code });
    assert.strictEqual(count(ingestPath, 'POST', '200'), 1);
    assert.strictEqual(count(ingestPath, 'POST', '400'), 1);
    assert.strictEqual(count('/status', 'DELETE', '405'), 1);
    assert.strictEqual(count('none', 'GET', '404'), 1);
    const labels = { route: ingestPath, method: 'POST', class: '2xx' };
    const name = 'seriesdb_http_request_duration_seconds';
    assert.strictEqual(sampleOf(families, `${name}_count`, labels), 1);
    assert.isAbove(sampleOf(families, `${name}_sum`, labels), 0);
  });

  it('show every metric family, with the labels of the documented table', async () => {
    await client.ingest(line(1));
    // One event of each kind that a protocol counts.
    await client.request('POST', '/write', { body: 'm a="text",value=1\nbad\n' });
    const families = await metrics();
    for (const [name, { type, labels }] of Object.entries(serverMetrics)) {
      const family = families.get(`seriesdb_${name}`);
      // Of a database on a bucket, and of backups by schedule.
      if (/^(bucket|backup)_/.test(name)) continue;
      // It has a sample per reason, and there is no reason.
      if (name === 'degraded' && family === undefined) continue;
      assert.strictEqual(family?.type, type, name);
      for (const sample of family?.samples ?? []) {
        const keys = [...sample.labels.keys()].filter((key) => key !== 'le');
        assert.deepEqual(keys, labels, name);
      }
    }
  });

  it('count timestamps that look like another unit, and log the first', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const lineAt = (ts: number): string => `{"metric":"unit","ts":${String(ts)},"value":1}\n`;
    await client.ingest(lineAt(seconds * 1000) + lineAt(0));
    assert.notInclude(server.printed(), 'another unit');
    await client.ingest(lineAt(seconds) + lineAt(seconds + 1));
    await client.ingest(lineAt(seconds * 1_000_000));
    const families = await metrics();
    assert.strictEqual(sampleOf(families, 'seriesdb_ingest_unit_suspect_total'), 3);
    const told = server
      .printed()
      .split('\n')
      .filter((text) => text.includes('another unit'));
    assert.lengthOf(told, 1);
    assert.include(told[0], `"ts":"${String(seconds)}","timestamp_unit":"ms","seems":"s"`);
  });

  it('log at start the size of the database and the result of the WAL replay', async () => {
    await client.ingest(line(1) + line(2));
    client.close();
    await server.kill();
    server = await startServer({ dataDir, args: ['--log-level', 'info'] });
    client = new Client(server.port);
    const told = /\{.*"the database is open".*\}/.exec(server.printed())?.[0] ?? '{}';
    const opened = JSON.parse(told) as Readonly<Record<string, unknown>>;
    assert.deepInclude(opened, { directory: path.resolve(dataDir), series: 1, samples: 2 });
    assert.deepInclude(opened, { segments: 0, replayed_samples: 2, torn_tails: 0 });
    assert.isNumber(opened['ms']);
  });

  it('measure the event-loop delay continuously', async () => {
    const measured = async (): Promise<number> =>
      sampleOf(await metrics(), 'seriesdb_event_loop_delay_seconds_count');
    const first = await measured();
    // The time limit of the test ends a server that does not measure.
    while ((await measured()) < first + 2) await sleep(20);
  });

  it('record the time of each stage of a sample, from the socket to a segment', async () => {
    for (let request = 0; request < 3; request++) await client.ingest(line(request));
    await client.rangeGet({ metric: 'm', start: 0n, end: 9n });
    let families = await metrics();
    const stage = (name: string, suffix: string): number =>
      sampleOf(families, `seriesdb_stage_duration_seconds_${suffix}`, { stage: name });
    // A stage is counted by its thread, which may do it after the answer went out.
    while (stage('apply', 'count') < 3) families = await metrics();
    for (const name of ['parse', 'wal_append', 'wal_sync', 'apply']) {
      assert.strictEqual(stage(name, 'count'), 3, name);
      assert.isAbove(stage(name, 'sum'), 0, name);
      assert.isBelow(stage(name, 'sum'), 30, name);
    }
    // The piece and the end of the answer.
    assert.isAtLeast(stage('range_read', 'count'), 1);
    assert.strictEqual(stage('flush', 'count'), 0);
  });

  it('count rejected samples, one per line that cannot be parsed', async () => {
    const rejected = async (): Promise<number | undefined> =>
      (await status()).runtime['ingest_rejected_total'];
    const send = async (body: string | Uint8Array, query = '', headers = {}): Promise<number> =>
      (await client.request('POST', ingestPath + query, { body, headers })).status;
    assert.strictEqual(await send(`${line(1)}${line(2)}not a record\n${line(3)}`), 400);
    assert.strictEqual(await rejected(), 3);
    const fan = '{"metric":"f","ts":1,"fields":{"a":1,"b":2,"c":3}}\n';
    assert.strictEqual(await send(gzipSync(`${fan}{`), '', { 'content-encoding': 'gzip' }), 400);
    assert.strictEqual(await rejected(), 7);
    assert.strictEqual(await send(`${line(1)}x\n${line(2)}y\n`, '?on_error=skip'), 200);
    assert.strictEqual(await rejected(), 9);
    // Answers do not wait for the file of rejects.
    let { runtime } = await status();
    while (runtime['ingest_quarantined_total'] !== 2) ({ runtime } = await status());
    assert.deepEqual([runtime['ingest_total'], await rejected()], [2, 9]);
  });

  it('count a debt for each segment and closed WAL that no commit names', async () => {
    await replace(['--cas-mode', 'off', '--metadata-read-mode', 'legacy']);
    await client.ingest(line(1));
    await client.ingest(line(86_400_001));
    const before = (await status()).compatibility_debt;
    assert.deepEqual(Object.values(before), [0, 0, 0]);
    client.close();
    await server.stop();
    const off = ['--cas-mode', 'off', '--metadata-read-mode', 'legacy'];
    server = await startServer({ dataDir, args: off });
    client = new Client(server.port);
    // A flush makes one segment, whatever days it spans. Every log file except the current one is
    // closed.
    const logFiles = readdirSync(path.join(dataDir, 'wal'));
    assert.isAtLeast(logFiles.length, 1);
    assert.deepEqual((await status()).compatibility_debt, {
      legacy_segment_descriptors: 1,
      legacy_wal_descriptors: logFiles.length - 1,
      loose_refs_present: 0,
    });
    assert.strictEqual((await status()).runtime['cas_sync_total'], 0);
    client.close();
    await server.stop();
    // The first start that writes commits makes one commit of everything, closed logs included.
    server = await startServer({ dataDir });
    client = new Client(server.port);
    const { compatibility_debt, runtime } = await status();
    assert.strictEqual(compatibility_debt['legacy_segment_descriptors'], 0);
    assert.isAtLeast(Number(runtime['cas_sync_total']), 1);
    assert.isAbove(Number(runtime['cas_sync_seconds_total']), 0);
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  it(`pass the check ${hasPromtool ? 'of promtool' : 'of the strict reader'}`, async () => {
    await client.ingest(line(1));
    const text = (await client.get('/metrics')).body;
    parseExposition(text);
    if (!hasPromtool) return;
    const {
      status: code,
      stdout,
      stderr,
    } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    assert.deepEqual([code, stdout, stderr], [0, '', '']);
  });
});
