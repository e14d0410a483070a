/** An export of a past state is the same from a running server and from the directory. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { done, ingest, lines, withAdmin } from '../support/maintenance.js';
import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { startScriptedServer } from '../support/scripted-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

async function post(server: Server, route: string): Promise<void> {
  const answer = await ask(server.adminPort, route, { method: 'POST' });
  assert.strictEqual(answer.status, 200, answer.body);
}

const described =
  '{"metric":"odd","labels":{"q":"a\\"b,c"},"ts":-9223372036854775808,"value":-0.0,' +
  '"kind":"counter","unit":"B","description":"what, it \\"is\\""}\n' +
  '{"metric":"odd","labels":{},"ts":9223372036854775807,"value":5e-324}\n';

/** Snapshot `before`, then a deletion and other samples in segments, and some in the log only. */
async function startFilled() {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const server = await startServer({ dataDir, args: withAdmin });
  await ingest(server, lines('cpu', 0, 3000) + described);
  await post(server, '/__admin/snapshot/create?name=before');
  const moment = Date.now();
  while (Date.now() === moment) await new Promise((resolve) => setTimeout(resolve, 1));
  const removed = await ask(server.port, '/api/v1/seriesql', {
    method: 'POST',
    body: 'delete from cpu where time between 0 and 1999',
  });
  assert.strictEqual(removed.status, 200, removed.body);
  await ingest(server, lines('mem', 0, 10) + lines('cpu', 2900, 200));
  await post(server, '/__admin/flush');
  await post(server, '/__admin/compact');
  await ingest(server, lines('later', 0, 10));
  return { server, dataDir, moment };
}

async function exportTo(words: readonly string[], ending: string): Promise<Buffer> {
  const file = path.join(temporaryDirectory(), `out.${ending}`);
  done(await runCli(['export', ...words, '--output', file]));
  return readFileSync(file);
}

describe('an export as of a past state', function () {
  this.timeout(120_000);
  afterEach(killServers);

  it('yields the same bytes from a server and from its directory, in each format', async () => {
    const { server, dataDir, moment } = await startFilled();
    const some = ['--prefix', 'cpu', '-l', 'host=h1', '--start', '100', '--end', '2500'];
    const exports = [
      ...['ndjson', 'csv', 'parquet'].map((ending) => ({ ending, words: ['--as-of', 'before'] })),
      { ending: 'csv', words: ['--as-of', 'before', ...some] },
      { ending: 'ndjson', words: ['--as-of', new Date(moment).toISOString(), ...some] },
      { ending: 'ndjson', words: ['--as-of', String(moment)] },
    ];
    const live: Buffer[] = [];
    for (const { ending, words } of exports) {
      live.push(await exportTo(['--url', server.url, ...words], ending));
    }
    const now = await exportTo(['--url', server.url], 'ndjson');
    await server.kill();
    for (const [at, { ending, words }] of exports.entries()) {
      const closed = await exportTo([dataDir, ...words], ending);
      assert.isTrue(live[at]?.equals(closed), `${words.join(' ')} ${ending}`);
    }
    const whole = live[0]?.toString().trimEnd().split('\n') ?? [];
    assert.lengthOf(whole, 3002);
    assert.notInclude(live[0]?.toString(), 'later');
    assert.include(now.toString(), '"later"');
  });

  it('loads into a new database, which exports the same bytes', async () => {
    const { server } = await startFilled();
    for (const ending of ['ndjson', 'csv', 'parquet']) {
      const file = path.join(temporaryDirectory(), `out.${ending}`);
      const state = ['--url', server.url, '--as-of', 'before'];
      done(await runCli(['export', ...state, '--output', file]));
      const copy = path.join(temporaryDirectory(), 'copy');
      const other = await startServer({ dataDir: copy });
      done(await runCli(['import', file, '--url', other.url]));
      const again = await exportTo(['--url', other.url], ending);
      assert.isTrue(again.equals(readFileSync(file)), ending);
      await other.kill();
    }
  });

  it('is one consistent state during ingest, also for a relative time', async () => {
    const { server } = await startFilled();
    const expected = done(await runCli(['export', '--url', server.url, '--as-of', 'before']));
    await post(server, '/__admin/flush');
    const exports = { areOver: false };
    const writing = (async () => {
      for (let at = 0; !exports.areOver; ++at) {
        await ingest(server, lines('cpu', at * 100, 100));
        if (at % 5 === 4) await post(server, '/__admin/flush');
      }
    })();
    for (let round = 0; round < 3; ++round) {
      const words = ['export', '--url', server.url, '--as-of'];
      assert.strictEqual(done(await runCli([...words, 'before'])), expected);
      const moving = done(await runCli([...words, 'now-0s', '--prefix', 'cpu']));
      const times = moving.match(/"ts":\d+/g) ?? [];
      assert.isAbove(times.length, 1000);
    }
    exports.areOver = true;
    await writing;
  });

  it('fails with a message if the state does not exist', async () => {
    const { server } = await startFilled();
    for (const [state, reason] of [
      ['nothing', /there is no snapshot nothing/],
      ['@999999', /there is no commit/],
      ['0', /there is no commit/],
      ['@x', /a past state must be a snapshot/],
    ] as const) {
      const { code, out, err } = await runCli(['export', '--url', server.url, '--as-of', state]);
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(err, reason);
    }
  });

  it('is not requested from a server that would ignore as_of', async () => {
    const server = await startScriptedServer([{ body: '[]' }], { unit: 'ms' });
    const { code, err } = await runCli(['export', '--url', server.url, '--as-of', 'before']);
    server.close();
    assert.strictEqual(code, 1);
    assert.match(err, /is too old to export a past state/);
  });

  it('works on the sample and series routes, which name the faulty parameter', async () => {
    const { server } = await startFilled();
    const client = new Client(server.port);
    const read = async (route: string, body: object): Promise<readonly [number, string]> => {
      const answer = await client.request('POST', `/api/v1/${route}`, {
        body: JSON.stringify(body),
      });
      return [answer.status, answer.body];
    };
    const [, series] = await read('series/find?as_of=before', { metric: 'cpu' });
    assert.lengthOf(JSON.parse(series) as unknown[], 3);
    const [, metrics] = await read('metrics/find?as_of=before', {});
    assert.match(metrics, /"cpu".*"odd"/);
    assert.notMatch(metrics, /mem|later/);
    const [, health] = await read('metrics/health?as_of=before', { prefix: 'cpu' });
    assert.match(health, /"series_count":3/);
    const range = { metric: 'cpu', labels: { host: 'h0' }, start: 0, end: 5 };
    const samples = '[{"ts":0,"value":0},{"ts":3,"value":0.375}]';
    assert.deepEqual(await read('query/range?as_of=before', range), [200, samples]);
    assert.deepEqual(await read('query/range', range), [200, '[]']);
    const labels = encodeURIComponent('{"host":"h0"}');
    const query = `metric=cpu&labels=${labels}&start=0&end=5&as_of=before`;
    const byQuery = await client.request('GET', `/api/v1/query/range?${query}`);
    assert.strictEqual(byQuery.body, samples);
    for (const route of ['query/range', 'series/find', 'metrics/find', 'metrics/health']) {
      assert.strictEqual((await read(`${route}?as_of=nothing`, range))[0], 404, route);
      assert.strictEqual((await read(`${route}?as_of=`, range))[0], 400, route);
    }
  });
});
