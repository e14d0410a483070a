/** Deleted samples stay readable in history, even without a flush before the deletion. */
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import {
  adminUrl,
  done,
  exported,
  ingest,
  lines,
  told,
  withAdmin,
} from '../support/maintenance.js';
import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

async function remove(server: Server, statement: string): Promise<void> {
  const removed = await ask(server.port, '/api/v1/seriesql', { method: 'POST', body: statement });
  assert.strictEqual(removed.status, 200, removed.body);
}

function started(): Promise<Server> {
  return startServer({ dataDir: path.join(temporaryDirectory(), 'data'), args: withAdmin });
}

/** A time after the earlier requests and before the later ones. */
async function between(): Promise<string> {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  await pause();
  const now = new Date().toISOString();
  await pause();
  return now;
}

async function figure(server: Server, name: string): Promise<number> {
  const { body } = await ask(server.port, '/metrics');
  return Number(new RegExp(`^seriesdb_${name} (\\S+)$`, 'm').exec(body)?.[1] ?? 'NaN');
}

describe('the state before a deletion', () => {
  afterEach(killServers);

  it('contains samples that were written and deleted at once, by undelete and as_of', async () => {
    const server = await started();
    await ingest(server, lines('cpu', 0, 60));
    const before = await exported(['--url', server.url]);
    const then = await between();
    await remove(server, 'delete from cpu where time between 0 and 999');
    assert.strictEqual(await exported(['--url', server.url]), '');

    const route = `/api/v1/seriesql?as_of=${encodeURIComponent(then)}`;
    const body = 'select count(*) from cpu where time >= 0';
    const answer = await new Client(server.port).request('POST', route, { body });
    assert.match(answer.body, /"rows":\[\[60\]\]/);
    assert.match(answer.body, /"as_of":"shows commit @\d+ of [^"]*, the first after /);
    assert.include(answer.body, 'it includes writes made in between');

    for (const [method, path] of [
      ['POST', `/api/v1/seriesql`],
      ['GET', '/api/v1/export'],
      ['GET', '/api/v1/query/range?metric=cpu&labels=%7B%7D&start=0&end=9'],
      ['POST', '/api/v1/metrics/find'],
    ] as const) {
      const asked = `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(then)}`;
      const isFind = path.endsWith('find');
      const shown = await new Client(server.port).request(method, asked, {
        body: method === 'GET' ? '' : isFind ? '{}' : body,
        headers: { accept: isFind ? 'application/json' : 'text/csv' },
      });
      assert.match(
        String(shown.headers['seriesdb-as-of']),
        /^shows commit @\d+ of .*, the first after /,
      );
      const now = await new Client(server.port).request(method, path, {
        body: method === 'GET' ? '' : isFind ? '{}' : body,
      });
      assert.notProperty(now.headers, 'seriesdb-as-of');
    }

    const flags = ['--as-of', then, '--format', 'table', '--url', server.url];
    const query = await runCli(['query', body, ...flags]);
    assert.include(query.err, `as of ${then}: shows commit @`);
    const rows = ['--as-of', then, '--format', 'csv', '--url', server.url];
    for (const command of [
      ['query', body, ...rows],
      ['export', ...rows],
    ]) {
      const { err } = await runCli(command);
      assert.include(err, `as of ${then}: shows commit @`, command[0]);
    }
    const undone = await told(['undelete', '--as-of', then, '--url', adminUrl(server)]);
    assert.deepInclude(undone, { status: 'ok', samples: 60, present: 0 });
    assert.match(String(undone['note']), /^shows commit @\d+ of /);
    assert.strictEqual(await exported(['--url', server.url]), before);
  });

  it('survives a kill after the deletion', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const server = await startServer({ dataDir, args: withAdmin });
    await ingest(server, lines('cpu', 0, 60) + lines('mem', 0, 6));
    const before = await exported(['--url', server.url]);
    const then = await between();
    await remove(server, 'delete from cpu where time between 0 and 999');
    await server.kill();
    const read = await runCli(['export', dataDir, '--as-of', then]);
    assert.include(read.err, `as of ${then}: shows commit @`);
    // Without its flush, the state is in the log until a server opens the directory.
    if (read.err.includes('it lacks writes and deletions made since')) {
      assert.strictEqual(done(read), '');
    } else {
      assert.include(read.err, 'the first after');
      assert.sameMembers(done(read).split('\n'), before.split('\n'));
    }
    assert.notInclude((await runCli(['export', dataDir])).err, 'as of');

    const again = await startServer({ dataDir, args: withAdmin });
    assert.notInclude(await exported(['--url', again.url]), 'cpu');
    const undone = await told(['undelete', '--as-of', then, '--url', adminUrl(again)]);
    assert.deepInclude(undone, { status: 'ok', samples: 60, present: 6 });
    assert.strictEqual(await exported(['--url', again.url]), before);
  });

  it('is reported as older if a deletion followed it', async () => {
    const server = await started();
    await ingest(server, lines('cpu', 0, 60));
    await remove(server, 'delete from cpu where time between 0 and 9');
    await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
    const then = await between();
    await ingest(server, lines('cpu', 100, 10));
    const dry = ['undelete', '--as-of', then, '--dry-run', '--url', adminUrl(server)];
    const counted = await told(dry);
    assert.match(
      String(counted['note']),
      /the last before .* it lacks writes and deletions made since/,
    );
  });

  it('is made once for many deletions, and not for a deletion without samples', async () => {
    const server = await started();
    const metrics = Array.from({ length: 50 }, (_, i) => `m${String(i)}`);
    await ingest(server, [...metrics, 'other'].map((metric) => lines(metric, 0, 5)).join(''));
    const flushes = await figure(server, 'flush_total');
    for (const metric of metrics) {
      await remove(server, `delete from ${metric} where time between 0 and 999`);
    }
    await remove(server, 'delete from other where time between 5000 and 6000');
    // The flush of the first one may still run.
    await told(['undelete', '--as-of', 'now', '--dry-run', '--url', adminUrl(server)]);
    assert.strictEqual((await figure(server, 'flush_total')) - flushes, 1);
  });

  it('is made for every deletion between writes, and at most once a second', async function () {
    this.timeout(60_000);
    const server = await started();
    const flushes = await figure(server, 'flush_total');
    const times: string[] = [];
    const begun = Date.now();
    for (let i = 0; i < 20; ++i) {
      await ingest(server, lines('cpu', i * 10, 10));
      times.push(await between());
      await remove(server, 'delete from cpu where time between 0 and 999');
    }
    const seconds = Math.ceil((Date.now() - begun) / 1000);
    for (const [i, then] of times.entries()) {
      const route = `/api/v1/seriesql?as_of=${encodeURIComponent(then)}`;
      const range = `${String(i * 10)} and ${String(i * 10 + 9)}`;
      const body = `select count(*) from cpu where time between ${range}`;
      const answer = await new Client(server.port).request('POST', route, { body });
      assert.match(answer.body, /"rows":\[\[10\]\]/, `${String(i)} of ${then}: ${answer.body}`);
    }
    assert.isAtMost((await figure(server, 'flush_total')) - flushes, 16 + seconds + 1);
  });
});
