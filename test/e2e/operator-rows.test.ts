/** Chains of operators may be as long in SeriesQL as in PromQL. */
import { assert } from 'chai';

import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const most = 4096;

/** `count` operators between as many operands and one more. */
const rowOf = (count: number, operand: (at: number) => string, op = ' + '): string =>
  Array.from({ length: count + 1 }, (_, at) => operand(at)).join(op);

async function ask(
  server: Server,
  text: string,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const url = `http://127.0.0.1:${server.port}/api/v1/seriesql`;
  const answer = await fetch(url, { method: 'POST', body: text });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function rows(server: Server, text: string): Promise<unknown> {
  const { status, body } = await ask(server, text);
  assert.strictEqual(status, 200, JSON.stringify(body));
  return body['rows'];
}

for (const mode of ['compiled', 'legacy', 'shadow']) {
  describe(`a row of ${most} operators, mode ${mode}`, function () {
    this.timeout(60_000);
    let server: Server;
    before(async () => {
      const env = { SERIESDB_QUERY_COMPILER_MODE: mode };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      const url = `http://127.0.0.1:${server.port}/api/v1/ingest`;
      const line = (ts: number): string =>
        JSON.stringify({ metric: 'm', labels: { a: 'x' }, ts, value: ts });
      await fetch(url, { method: 'POST', body: `${line(1)}\n${line(2)}\n${line(4)}\n` });
    });
    after(killServers);

    it('is evaluated from the left, for constants, samples and aggregates', async () => {
      assert.deepEqual(await rows(server, `select ${rowOf(most, () => '1')}`), [[most + 1]]);
      const mixed = `1${'+1-1'.repeat(most / 2)}`;
      assert.deepEqual(await rows(server, `select ${mixed}`), [[1]]);
      const samples = `select ${rowOf(most, () => 'value')} as s from m where time >= 2`;
      assert.deepEqual(await rows(server, samples), [[2 * (most + 1)], [4 * (most + 1)]]);
      const sums = `select ${rowOf(most, (at) => (at % 2 === 0 ? 'sum(value)' : '1'))} as s from m where time >= 0`;
      assert.deepEqual(await rows(server, sums), [[7 * (most / 2 + 1) + most / 2]]);
    });

    it('is accepted in WHERE, GROUP BY, HAVING and ORDER BY', async () => {
      const row = rowOf(1500, () => 'value');
      const where = `select count(*) from m where time >= 0 and ${row} > 3000`;
      assert.deepEqual(await rows(server, where), [[2 - 1 + 1]]);
      const keys = `select ${row} as k, ${row} + 1 as more, count(*) from m where time >= 0 group by k having ${row} > 1501 order by ${row} desc`;
      assert.deepEqual(await rows(server, keys), [
        [4 * 1501, 4 * 1501 + 1, 1],
        [2 * 1501, 2 * 1501 + 1, 1],
      ]);
    });

    it('is explained', async () => {
      const query = `select ${rowOf(most, () => 'value')} from m where time >= 0`;
      for (const how of ['explain', 'explain bytecode']) {
        assert.isNotEmpty(await rows(server, `${how} ${query}`));
      }
    });

    it('is rejected with one operator more, and if nested too deep', async () => {
      for (const text of [
        `select ${rowOf(most + 1, () => '1')}`,
        `select ${rowOf(600, () => '1', ' = ')}`,
      ]) {
        const { status, body } = await ask(server, text);
        assert.deepEqual([status, body['code']], [400, 'parse_failed'], text.slice(0, 40));
      }
      const nested = `select ${'1 + ('.repeat(60)}${rowOf(most, () => '1')}${')'.repeat(60)}`;
      assert.deepEqual(await rows(server, nested), [[most + 61]]);
    });
  });
}
