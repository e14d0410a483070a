/** Running queries as operators see them, and their cancellation. */
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { adminUrl, done, withAdmin } from '../support/maintenance.js';
import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import { bigLines, codeOf, heavyQueries, seriesqlPath as path } from '../support/long-query.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

import type { ListedQuery } from '../../src/operations/slots/running-queries.js';

const { compiled, legacy } = heavyQueries;

async function listed(server: Server): Promise<readonly ListedQuery[]> {
  const { status, body } = await ask(server.adminPort, '/__admin/queries');
  assert.strictEqual(status, 200, body);
  return (JSON.parse(body) as { queries: readonly ListedQuery[] }).queries;
}

/** Resolves when `count` queries are listed. */
async function listedOnce(server: Server, count: number): Promise<readonly ListedQuery[]> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const queries = await listed(server);
    if (queries.length === count) return queries;
    assert.isBelow(performance.now(), deadline, `${queries.length} queries, not ${count}`);
    await sleep(10);
  }
}

describe('running queries', function () {
  this.timeout(60_000);
  let server: Server;
  let clients: Client[];
  before(async () => {
    const args = [...withAdmin, '--max-concurrent-queries', '1'];
    server = await startServer({ dataDir: temporaryDirectory(), args });
    clients = [new Client(server.port), new Client(server.port)];
    for (const lines of bigLines()) await clients[0]?.ingest(lines);
  });
  after(async () => {
    for (const client of clients) client.close();
    await killServers();
  });

  for (const [engine, statement] of Object.entries({ compiled, legacy })) {
    it(`are listed and cancelled, ${engine}`, async () => {
      assert.deepStrictEqual(await listed(server), []);
      const asked = clients[0]?.request('POST', path, { body: statement });
      const [first] = await listedOnce(server, 1);
      assert.deepInclude(first, { statement: statement.slice(0, 2000), as_of: null });
      const waiting = clients[1]?.request('POST', path, { body: 'insert into n values (1, 1)' });
      const [running, waits] = await listedOnce(server, 2);
      assert.isDefined(running);
      assert.strictEqual(running.state, 'running');
      assert.deepInclude(waits, { statement: 'insert into n values (1, 1)', state: 'waiting' });
      assert.isAtLeast(running.elapsed_ms, waits?.elapsed_ms ?? Infinity);

      const url = ['--url', adminUrl(server)];
      const cancelled = await runCli(['queries', ...url, '--cancel', String(running.id)]);
      assert.strictEqual(done(cancelled), `query ${String(running.id)} is cancelled\n`);
      const answer = await asked;
      assert.deepStrictEqual([answer?.status, answer && codeOf(answer)], [503, 'query_cancelled']);
      const other = await waiting;
      assert.include(['ok', 'too_many_queries'], other && codeOf(other));
      assert.deepStrictEqual(await listedOnce(server, 0), []);
    });
  }

  it('print as a table on a terminal, each statement on one line', async () => {
    const asked = clients[0]?.request('POST', path, { body: compiled.replace(' from', '\n from') });
    const [first] = await listedOnce(server, 1);
    const url = ['--url', adminUrl(server)];
    const out = done(await runCli(['queries', ...url]));
    assert.match(out, /ID.*STATE.*ELAPSED_MS.*AS_OF.*STATEMENT/);
    assert.match(out, /running.*percentile\(value, 0\.1000\)/);
    const json = JSON.parse(done(await runCli(['queries', ...url, '--json']))) as object;
    assert.property(json, 'queries');
    await ask(server.adminPort, `/__admin/queries/${String(first?.id)}`, {
      method: 'DELETE',
    });
    await asked;
  });

  it('that have ended are reported as ended, and an invalid id is rejected', async () => {
    const url = ['--url', adminUrl(server)];
    const gone = await runCli(['queries', ...url, '--cancel', '1']);
    assert.strictEqual(done(gone), 'query 1 had ended already\n');
    const wrong = await runCli(['queries', ...url, '--cancel', 'x']);
    assert.strictEqual(wrong.code, 1);
    assert.include(wrong.err, 'id must be');
    assert.notStrictEqual((await runCli(['queries'])).code, 0);
    for (const [method, last, status] of [
      ['DELETE', '1', 200],
      ['DELETE', '%31', 200],
      ['DELETE', '%', 400],
      ['DELETE', '1+', 400],
      ['DELETE', '', 404],
      ['DELETE', '1/2', 404],
      ['POST', '1', 405],
    ] as const) {
      const answer = await ask(server.adminPort, `/__admin/queries/${last}`, { method });
      assert.strictEqual(answer.status, status, `${method} ${last}: ${answer.body}`);
    }
    // A query that failed before it ran is not listed either.
    assert.strictEqual((await clients[0]?.request('POST', path, { body: 'selec' }))?.status, 400);
    assert.deepStrictEqual(await listed(server), []);
  });
});
