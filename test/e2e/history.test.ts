/** Past states and their removal, as an operator sees them. */
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { runCli, type CliResult } from '../support/cli.js';
import { Client } from '../support/client.js';
import { objectFiles } from '../support/segment-files.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const withAdmin = ['--admin-enabled', 'true', '--admin-listen', '127.0.0.1:0'];

const adminUrl = (server: Server): string => `http://127.0.0.1:${String(server.adminPort)}`;

function lines(metric: string, from: number, count: number): string {
  const one = (i: number): string => JSON.stringify({ metric, labels: {}, ts: i, value: i / 8 });
  return `${Array.from({ length: count }, (_, i) => one(from + i)).join('\n')}\n`;
}

function done({ code, out, err }: CliResult): string {
  assert.strictEqual(code, 0, err);
  return out;
}

/** The last line of the answer. */
async function admin(server: Server, route: string): Promise<Record<string, unknown>> {
  const { status, body } = await ask(server.adminPort, route, { method: 'POST' });
  assert.strictEqual(status, 200, body);
  return JSON.parse(body.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

/** The number of samples, or the code of the refusal. */
async function count(server: Server, asOf: string | null): Promise<string> {
  const body = 'select count(*) from cpu where time >= 0';
  const query = asOf === null ? '' : `?as_of=${encodeURIComponent(asOf)}`;
  const answer = await new Client(server.port).request('POST', `/api/v1/seriesql${query}`, {
    body,
  });
  if (answer.status === 200) return /"rows":\[\[(\d+)\]\]/.exec(answer.body)?.[1] ?? answer.body;
  return /"code":"(\w+)"/.exec(answer.body)?.[1] ?? answer.body;
}

async function figure(server: Server, name: string): Promise<number> {
  const { body } = await ask(server.port, '/metrics');
  const found = new RegExp(`^seriesdb_${name} (\\S+)$`, 'm').exec(body);
  return Number(found?.[1] ?? 'NaN');
}

/** 300 samples in a segment, then only 100 of them; the time between. */
async function deleteSome(server: Server): Promise<number> {
  assert.isAbove(await new Client(server.port).ingest(lines('cpu', 0, 300)), 0);
  await admin(server, '/__admin/flush');
  const between = Date.now();
  while (Date.now() === between) await new Promise((resolve) => setTimeout(resolve, 1));
  const removed = await ask(server.port, '/api/v1/seriesql', {
    method: 'POST',
    body: 'delete from cpu where time between 0 and 199',
  });
  assert.strictEqual(removed.status, 200, removed.body);
  await admin(server, '/__admin/flush');
  await admin(server, '/__admin/compact');
  return between;
}

describe('history', () => {
  afterEach(killServers);

  it('answers as of before a deletion, also after a kill, until gc removes it', async function () {
    this.timeout(60_000);
    const dataDir = path.join(temporaryDirectory(), 'data');
    let server = await startServer({ dataDir, args: withAdmin });
    const between = await deleteSome(server);
    const iso = new Date(between).toISOString();
    for (const kill of [false, true]) {
      if (kill) {
        await server.kill();
        server = await startServer({ dataDir, args: withAdmin });
      }
      assert.strictEqual(await count(server, null), '100');
      assert.strictEqual(await count(server, String(between)), '300');
      assert.strictEqual(await count(server, iso), '300');
      assert.strictEqual(await count(server, 'now'), '100');
      assert.strictEqual(await count(server, '0'), 'state_not_found');
      assert.strictEqual(await count(server, '@999999'), 'state_not_found');
      assert.strictEqual(await count(server, '@x'), 'invalid_name');
    }
    const flags = ['--as-of', iso, '--format', 'csv', '--url', server.url];
    const text = 'select count(*) from cpu where time >= 0';
    assert.match(done(await runCli(['query', text, ...flags])), /\n300\r?\n/);
    assert.isAbove(await figure(server, 'history_commits'), 0);
    assert.isAbove(await figure(server, 'history_bytes'), 0);
    assert.isAbove(await figure(server, 'history_oldest_seconds'), 1e9);

    const before = objectFiles(dataDir);
    const planned = await admin(server, '/__admin/gc?history=true&dry_run=true');
    assert.strictEqual(planned['status'], 'planned');
    assert.deepEqual(objectFiles(dataDir), before);
    assert.strictEqual((await admin(server, '/__admin/gc'))['files'], 0);
    assert.strictEqual(await count(server, iso), '300');
    const out = done(await runCli(['gc', '--history', '--json', '--url', adminUrl(server)]));
    const collected = JSON.parse(out) as Record<string, unknown>;
    assert.strictEqual(collected['status'], 'collected');
    assert.strictEqual(collected['commits'], planned['commits']);
    assert.strictEqual(await figure(server, 'history_commits'), 0);
    assert.strictEqual(await count(server, null), '100');
    // An open past state stays readable; a new request for it is not found.
    assert.strictEqual(await count(server, iso), '300');
    assert.strictEqual(await count(server, String(between - 1)), 'state_not_found');
    await server.kill();
    const gone = await runCli(['export', dataDir, '--as-of', iso]);
    assert.strictEqual(gone.code, 1);
    assert.match(gone.err, /there is no commit of .* or earlier: history begins with commit @\d+/);
  });

  it('of a closed directory is listed, exported and removed', async function () {
    this.timeout(60_000);
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await deleteSome(server);
    await server.kill();
    const listed = done(await runCli(['inspect', dataDir, 'history', '--json']));
    const commits = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly edit: number; readonly reason: string });
    assert.isAtLeast(commits.length, 3);
    const flushed = [...commits].reverse().find(({ reason }) => reason === 'flush');
    assert.isDefined(flushed);
    assert.match(done(await runCli(['inspect', dataDir, 'history'])), /^edit +time +reason/i);
    const rows = async (args: readonly string[]): Promise<number> =>
      done(await runCli(['export', dataDir, ...args]))
        .trim()
        .split('\n').length;
    assert.strictEqual(await rows(['--as-of', `@${String(flushed.edit)}`]), 300);
    assert.strictEqual(await rows([]), 100);
    const files = objectFiles(dataDir);
    const planned = done(await runCli(['gc', dataDir, '--history', '--dry-run']));
    assert.match(planned, /^status +planned\nfiles +[1-9]/);
    assert.deepEqual(objectFiles(dataDir), files);
    const collected = done(await runCli(['gc', dataDir, '--history']));
    assert.match(collected, /^status +collected\nfiles +[1-9]/);
    assert.isBelow(objectFiles(dataDir).length, files.length);
    assert.strictEqual(await rows([]), 100);
    done(await runCli(['verify', dataDir]));
  });

  it('with a retention of zero is not kept, and expires while the server runs', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const args = [...withAdmin, '--history-keep-ms', '1'];
    const server = await startServer({ dataDir, args });
    const between = await deleteSome(server);
    while ((await figure(server, 'history_commits')) > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.strictEqual(await count(server, String(between)), 'state_not_found');
    assert.strictEqual(objectFiles(dataDir).length, await figure(server, 'segments'));
  });
});
