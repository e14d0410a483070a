/** The output of `compact` and `migrate` while they run, for a directory and for a server. */
import http from 'node:http';
import path from 'node:path';

import { assert } from 'chai';

import { ask, lastLine, startConfigured, transportNames } from '../support/admin-server.js';
import { runAtTerminal, runCli, startCli } from '../support/cli.js';
import { copyDirectory } from '../support/directory-state.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];

const adminUrl = (server: Server): string => `http://127.0.0.1:${String(server.adminPort)}`;

async function post(port: number | null, target: string, body = ''): Promise<string> {
  const answer = await ask(port, target, { method: 'POST', body });
  assert.isBelow(answer.status, 300, answer.body);
  return answer.body;
}

/** Two segments, and samples in the log only. */
async function fill(server: Server, headers: Readonly<Record<string, string>> = {}) {
  for (const part of [0, 1, 2]) {
    const lines = Array.from({ length: 300 }, (_, at) => {
      const ts = part * 300 + at;
      return JSON.stringify({ metric: 'cpu', labels: { h: String(ts % 3) }, ts, value: ts / 8 });
    });
    await post(server.port, '/api/v1/ingest', `${lines.join('\n')}\n`);
    if (part < 2) await ask(server.adminPort, '/__admin/flush', { method: 'POST', headers });
  }
}

function kinds(text: string): readonly string[] {
  const all = text.trimEnd().split('\n');
  return all.map((line) => (JSON.parse(line) as { readonly kind: string }).kind);
}

/** The minimum of steps, in this order. */
function assertSteps(text: string): void {
  const told = kinds(text).filter((kind) => kind !== 'waiting' && kind !== 'progress');
  assert.deepEqual(told, ['flush', 'plan', 'end']);
  const plan = JSON.parse(
    text.split('\n').find((line) => line.includes('"plan"')) ?? '',
  ) as Readonly<Record<string, unknown>>;
  assert.isNumber(plan['segments']);
  assert.isNumber(plan['bytes']);
}

/** All samples, without the query's statistics. */
async function content(server: Server): Promise<unknown> {
  const statement = 'select tag.h, time, value from cpu where time >= 0 order by time';
  const answer = await post(server.port, '/api/v1/seriesql', statement);
  const { rows } = JSON.parse(answer) as { readonly rows: readonly unknown[] };
  assert.lengthOf(rows, 900);
  return rows;
}

/** Disconnects after the first line. */
function askAndLeave(server: Server, target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.adminPort ?? 0, path: target } as const;
    const request = http.request({ ...options, method: 'POST', agent: false }, (response) => {
      response.once('data', (piece: Buffer) => {
        resolve(piece.toString('utf8'));
        request.destroy();
      });
      response.on('error', () => undefined);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('a long task', function () {
  this.timeout(60_000);
  afterEach(killServers);

  for (const transport of transportNames) {
    it(`streams its progress, over ${transport}`, async () => {
      const { server } = await startConfigured(transport, 'compaction = false\n');
      await fill(server);
      const compacted = await ask(server.adminPort, '/__admin/compact', { method: 'POST' });
      assert.strictEqual(compacted.headers['content-type'], 'application/x-ndjson');
      assertSteps(compacted.body);
      const told = lastLine(compacted.body);
      // The samples of the log are a segment by then.
      assert.deepInclude(told, { status: 'compacted', segments_before: 3, segments_after: 1 });
      const migrated = await ask(server.adminPort, '/__admin/migrate', { method: 'POST' });
      assertSteps(migrated.body);
      const nothing = { kind: 'end', status: 'migrated', segments: 0, bytes: 0, tags: 0, left: 0 };
      assert.deepEqual(lastLine(migrated.body), nothing);
    });

    it(`changes nothing if its client disconnects, over ${transport}`, async () => {
      const { server } = await startConfigured(transport, 'compaction = false\n');
      await fill(server);
      const before = await content(server);
      for (const target of ['compact', 'migrate', 'compact']) {
        const first = await askAndLeave(server, `/__admin/${target}`);
        assert.isTrue(first.startsWith('{"kind":"flush"}\n'), first);
      }
      const { child, result } = startCli(['compact', '--url', adminUrl(server), '--json']);
      child.stdout?.once('data', () => child.kill('SIGKILL'));
      await result;
      assert.deepEqual(await content(server), before);
      const again = await ask(server.adminPort, '/__admin/compact', { method: 'POST' });
      assert.deepInclude(lastLine(again.body), { status: 'compacted', segments_after: 1 });
      assert.deepEqual(await content(server), before);
    });
  }

  it('has the same result for a directory and for a server', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: [...withAdmin, '--compaction', 'false'] });
    await fill(server);
    await server.kill();
    for (const task of ['compact', 'migrate']) {
      const twin = path.join(temporaryDirectory(), 'data');
      copyDirectory(dataDir, twin);
      const closed = await runCli([task, twin, '--json']);
      assert.strictEqual(closed.code, 0, closed.err);
      assertSteps(closed.out);
      const again = await startServer({ dataDir, args: [...withAdmin, '--compaction', 'false'] });
      const live = await runCli([task, '--url', adminUrl(again), '--json']);
      assert.strictEqual(live.code, 0, live.err);
      assertSteps(live.out);
      assert.deepEqual(lastLine(live.out), lastLine(closed.out));
      await again.kill();
    }
  });

  it('requires the token', async () => {
    const toml = '[admin]\ntoken = "sesame"\n';
    const { server } = await startConfigured('node', toml);
    await fill(server, { authorization: 'Bearer sesame' });
    for (const task of ['compact', 'migrate']) {
      const words = [task, '--url', adminUrl(server), '--json'];
      for (const env of [{}, { SDB_ADMIN_TOKEN: 'open' }]) {
        const stranger = await runCli(words, { env });
        assert.deepEqual([stranger.code, stranger.out], [1, '']);
        assert.include(stranger.err, 'token');
      }
      const friend = await runCli(words, { env: { SDB_ADMIN_TOKEN: 'sesame' } });
      assert.strictEqual(friend.code, 0, friend.err);
      assertSteps(friend.out);
    }
  });

  it('reports failure in its last line and its exit code', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await fill(server);
    await server.kill();
    const env = { SERIESDB_CAS_MODE: 'off', SERIESDB_METADATA_READ_MODE: 'legacy' };
    const refused = await runCli(['migrate', dataDir], { env });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.include(refused.err, 'cas_mode is "off"');
  });

  it('draws a progress bar on a terminal, up to 100 %', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await fill(server);
    await server.kill();
    const drawn = await runAtTerminal(['compact', dataDir]);
    assert.include(drawn, 'flushing memory to segments');
    assert.match(drawn, /compact .*100% \| 1 segments/);
    assert.include(await runAtTerminal(['migrate', dataDir]), '100% | 0 segments');
    assert.strictEqual((await runCli(['compact', dataDir])).err, '');
  });
});
