/** Times as people write them: in ingested lines, in statements, and warnings about them. */
import { assert } from 'chai';

import { SeriesDbClient, SeriesDbError, type Sample } from '../../src/client/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('timestamps in various notations', function () {
  this.timeout(60_000);
  let folder = '';
  let url = '';
  let printed: () => string;
  let client: SeriesDbClient;

  beforeEach(async () => {
    folder = temporaryDirectory();
    const server = await startServer({ dataDir: folder });
    ({ url } = server);
    printed = () => server.printed();
    client = new SeriesDbClient({ url });
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  const samplesOf = (metric: string): Promise<readonly Sample[]> =>
    client.range({ metric, start: 0, end: 4_000_000_000_000 });

  async function post(body: string, query = ''): Promise<Record<string, unknown>> {
    const answer = await fetch(`${url}/api/v1/ingest${query}`, { method: 'POST', body });
    return (await answer.json()) as Record<string, unknown>;
  }

  it('may be ISO text or exact integers, whatever the precision', async () => {
    const lines = [
      '{"metric":"m","ts":"2026-11-28T01:00:00Z","value":1}',
      '{"metric":"m","ts":1795827601,"value":2}',
      '{"metric":"m","ts":"2026-11-28 02:00:02+01:00","value":3}',
    ];
    assert.deepEqual(await post(lines.join('\n'), '?precision=s'), { ingested: 3 });
    const samples = await samplesOf('m');
    assert.deepEqual(
      samples.map(({ ts, value }) => [ts, value]),
      [
        [1795827600000n, 1],
        [1795827601000n, 2],
        [1795827602000n, 3],
      ],
    );
    const bad = await post('{"metric":"m","ts":"soon","value":1}');
    assert.deepInclude(bad, { code: 'invalid_record', status: 400 });
    assert.match(String(bad['error']), /line 1: "ts" is "soon", which is not ISO 8601/);
    await client.ingest([{ metric: 'p', ts: '2026-11-28', value: 1 }]);
    assert.strictEqual((await samplesOf('p'))[0]?.ts, 1795824000000n);
  });

  it('default to the time of arrival', async () => {
    const before = Date.now();
    assert.deepEqual(await post('{"metric":"m","value":1}\n{"series":"s","value":2}\n'), {
      ingested: 2,
    });
    const [one] = await samplesOf('m');
    const [other] = await samplesOf('s');
    assert.strictEqual(one?.ts, other?.ts);
    assert.isTrue(Number(one?.ts) >= before - 1 && Number(one?.ts) <= Date.now(), String(one?.ts));
  });

  it('of an obviously different unit cause a warning in the answer', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const line = `{"metric":"m","ts":${String(seconds)},"value":1}`;
    for (const query of ['', '?on_error=skip']) {
      const { ingested, warnings } = await post(line, query);
      assert.strictEqual(ingested, 1);
      assert.lengthOf(warnings as string[], 1);
      assert.match(
        String(warnings),
        new RegExp(`the time stored as ${String(seconds)} looks .* in s,`),
      );
    }
    assert.notProperty(await post(line, '?precision=s'), 'warnings');
    assert.lengthOf((await client.ingest(line)).warnings, 1);
  });

  it('under another key are rejected instead of stored as now', async () => {
    for (const name of ['timestamp', 'time', '@timestamp', 'date']) {
      const bad = await post(`{"metric":"m","${name}":1700000000000,"value":1}`);
      assert.deepInclude(bad, { code: 'invalid_record', status: 400 }, name);
      assert.include(String(bad['error']), `line 1: the line has "${name}" and no "ts"`);
    }
    const lines =
      '{"metric":"m","timestamp":1,"value":1}\n{"metric":"m","time":1,"ts":2,"value":1}';
    const { ingested, errors } = await post(lines, '?on_error=skip');
    assert.deepEqual([ingested, (errors as unknown[]).length], [1, 1]);
    assert.deepEqual(
      (await samplesOf('m')).map(({ ts }) => ts),
      [2n],
    );
  });

  it('that are quoted integers are rejected with advice to remove the quotes', async () => {
    const { error } = await post('{"metric":"m","ts":"1795893784000","value":1}');
    assert.match(String(error), /"1795893784000"; remove the quotes/);
  });

  it('of line protocol in seconds without a precision cause a warning', async () => {
    const body = `cpu load=1 ${String(Math.floor(Date.now() / 1000))}\n`;
    const answer = await fetch(`${url}/write`, { method: 'POST', body });
    assert.strictEqual(answer.status, 204);
    const text = await (await fetch(`${url}/metrics`)).text();
    assert.match(text, /^seriesdb_ingest_unit_suspect_total 1$/m);
    assert.match(printed(), /looks as if it were in another unit.*"seems":"s"/);
    const ms = `{"metric":"m","ts":${String(Date.now())},"value":1}`;
    assert.match(String((await post(ms, '?precision=ns'))['warnings']), /came in ms,/);
  });

  it('in statements may have a space, no seconds, and no quotes', async () => {
    await post('{"metric":"m","ts":"2026-11-28T01:00","value":7}');
    for (const time of [
      "'2026-11-28 01:00:00'",
      "'2026-11-28T01:00'",
      "'2026-11-28 01:00'",
      "'2026-11-28 02:00+01:00'",
      '2026-11-28T01:00',
      '2026-11-28T02:00+01:00',
    ]) {
      const { rows } = await client.seriesql(`select value from m where time = ${time}`);
      assert.deepEqual(rows, [[7]], time);
    }
  });

  it('at any value are removed by delete without a condition and by drop metric', async () => {
    const times = ['-9223372036854775808', '0', '9223372036854775807'];
    const lines = ['a', 'b', 'b.c'].flatMap((metric) =>
      times.map((ts) => `{"metric":"${metric}","labels":{"k":"1"},"ts":${ts},"value":1}`),
    );
    await post(lines.join('\n'));
    const other = '{"metric":"a","labels":{"k":"2"},"ts":5,"value":1}';
    await post(other);
    const metrics = async (): Promise<unknown> => (await client.seriesql('show metrics')).rows;
    await client.seriesql("delete from a{k='1'}");
    assert.deepEqual(
      (
        await client.seriesql(
          'select count(*) from a where time between -9223372036854775808 and 9223372036854775807',
        )
      ).rows,
      [[1n]],
    );
    assert.deepEqual((await client.seriesql('drop metric b')).rows, [[1n]]);
    assert.deepEqual(await metrics(), [['a'], ['b.c']]);
    await client.seriesql('delete from a');
    assert.deepEqual(await metrics(), [['b.c']]);
    for (const text of ["drop metric b.c{k='1'}", 'drop metric b.*', 'drop metric by_id(1)']) {
      const error: unknown = await client.seriesql(text).catch((cause: unknown) => cause);
      assert.match(String(error), /DROP METRIC takes the name of one metric/, text);
    }
    assert.deepEqual(await metrics(), [['b.c']]);
    // Deleted samples may be written again.
    await post(other);
    assert.deepEqual(
      (
        await client.seriesql(
          'select count(*) from a where time between -9223372036854775808 and 9223372036854775807',
        )
      ).rows,
      [[1n]],
    );
  });

  it('one point outside of an array is rejected before anything is sent', async () => {
    const point = { metric: 'm', ts: 1, value: 1 } as unknown as string;
    const error: unknown = await client.ingest(point).catch((cause: unknown) => cause);
    assert.instanceOf(error, SeriesDbError);
    assert.deepInclude(error, { code: 'invalid_argument' });
    assert.match(error.message, /array of points/);
  });
});
