/** Comparisons of real samples, in memory, in segments and after a restart. */
import { assert } from 'chai';

import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const path = '/api/v1/query/compare';
const aggregates = ['last', 'avg', 'sum', 'min', 'max', 'count', 'delta'] as const;

const lines = (metric: string, extra: string, points: readonly (readonly [string, string])[]) =>
  points
    .map(([ts, value]) => `{"metric":"${metric}",${extra}"ts":${ts},"value":${value}}`)
    .join('\n');

function parts(body: string): readonly [string, string, string, string] {
  const pattern =
    /"current":\{[^}]*"value":([^}]*)\},"baseline":\{[^}]*"value":([^}]*)\},"change_abs":([^,]*),"change_pct":([^}]*)\}$/;
  const [, current, baseline, absolute, percent] = pattern.exec(body) ?? [];
  if (current === undefined || baseline === undefined) throw new Error(body);
  return [current, baseline, absolute ?? '', percent ?? ''];
}

describe('compare over real samples', () => {
  const dataDir = temporaryDirectory();
  let server: Server;
  let client: Client;
  const start = async () => {
    server = await startServer({ dataDir });
    client = new Client(server.port);
  };
  const ask = async (aggregate: string, selector: string, windows = kWindows) => {
    const answer = await client.postJson(
      path,
      `{${windows},"aggregate":"${aggregate}",${selector}}`,
    );
    assert.strictEqual(answer.status, 200, answer.body);
    return answer.body;
  };
  const kWindows = '"start":10,"end":14,"baseline_start":0,"baseline_end":4';

  before(async () => {
    await start();
    const values = ['5', '10', '2', '7'];
    const points = [
      ...values.map((value, at) => [String(at), value] as const),
      ...['20', '10.5', '-3', '0.25'].map((value, at) => [String(10 + at), value] as const),
    ];
    await client.ingest(lines('gauge', '"labels":{"b":"2","a":"1"},', points));
    await client.ingest(lines('counter', '"kind":"counter",', points));
    await client.ingest(
      lines('edge', '', [
        ['-9223372036854775808', '1'],
        ['9007199254740993', '2'],
        ['9223372036854775807', '4'],
      ]),
    );
    await client.ingest('{"series":"old","tags":{"t":"1"},"ts":1,"value":0}\n');
    await client.ingest('{"series":"old","tags":{"t":"2"},"ts":1,"value":0}\n');
    await client.ingest('{"series":"old","tags":{"t":"2"},"ts":11,"value":3}\n');
  });
  after(killServers);

  const expected: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
    gauge: {
      last: ['0.25', '7', '-6.75', String((-6.75 / 7) * 100)],
      avg: ['6.9375', '6', '0.9375', '15.625'],
      sum: ['27.75', '24', '3.75', '15.625'],
      min: ['-3', '2', '-5', '-250'],
      max: ['20', '10', '10', '100'],
      count: ['4', '4', '0', '0'],
      delta: ['-19.75', '2', '-21.75', '-1087.5'],
    },
    // 20, then three drops or rises counted from zero: 10.5 - 3 + 3.25.
    counter: { delta: ['10.75', '12', '-1.25', String((-1.25 / 12) * 100)] },
  };
  const checkAll = async () => {
    for (const [metric, rows] of Object.entries(expected)) {
      for (const aggregate of aggregates) {
        const row = rows[aggregate] ?? expected['gauge']?.[aggregate] ?? [];
        const labels = metric === 'gauge' ? ',"labels":{"a":1,"b":2}' : '';
        const body = await ask(aggregate, `"metric":"${metric}"${labels}`);
        assert.deepEqual(parts(body), row, `${metric} ${aggregate}`);
      }
    }
  };

  it('answers every aggregate of gauge and counter', checkAll);

  it('answers all fields of the specification, in its order', async () => {
    const body = await ask('max', '"metric":"gauge"');
    assert.match(
      body,
      /^\{"series_id":\d+,"metric":"gauge","labels":\{"a":"1","b":"2"\},"aggregate":"max","metric_kind":"gauge","current":\{"start":10,"end":14,"samples":4,"value":20\},"baseline":\{"start":0,"end":4,"samples":4,"value":10\},"change_abs":10,"change_pct":100\}$/,
    );
    const id = /"series_id":(\d+)/.exec(body)?.[1] ?? '';
    assert.strictEqual(await ask('max', `"series_id":${id}`), body);
    assert.include(
      await ask('max', '"metric":"counter"'),
      '"labels":{},"aggregate":"max","metric_kind":"counter"',
    );
  });

  it('answers null for an empty window, and for a change from none or zero', async () => {
    const empty = '"start":100,"end":200,"baseline_start":0,"baseline_end":4';
    for (const aggregate of aggregates) {
      const body = await ask(aggregate, '"metric":"gauge"', empty);
      assert.include(body, '"current":{"start":100,"end":200,"samples":0,"value":null}');
      assert.deepEqual(parts(body).slice(2), ['null', 'null']);
    }
    const zero = parts(await ask('last', '"series":"old","tags":{"t":"2"}'));
    assert.deepEqual(zero, ['3', '0', '3', 'null']);
    const one = parts(await ask('delta', '"series":"old","tags":{"t":"2"}'));
    assert.deepEqual(one, ['0', '0', '0', 'null']);
  });

  it('keeps 64-bit bounds exact, both inclusive', async () => {
    const windows =
      '"start":9007199254740993,"end":9223372036854775807,' +
      '"baseline_start":-9223372036854775808,"baseline_end":9007199254740992';
    const body = await ask('sum', '"metric":"edge"', windows);
    assert.include(
      body,
      '"current":{"start":9007199254740993,"end":9223372036854775807,"samples":2,"value":6}',
    );
    assert.include(
      body,
      '"baseline":{"start":-9223372036854775808,"end":9007199254740992,"samples":1,"value":1}',
    );
  });

  it('answers 404 without a series, 409 with several, 400 to an unknown aggregate first', async () => {
    const codeOf = async (rest: string) => {
      const { status, body } = await client.postJson(path, `{${kWindows},${rest}}`);
      return [status, /"code":"([a-z_]+)"/.exec(body)?.[1]];
    };
    assert.deepEqual(await codeOf('"aggregate":"sum","metric":"none"'), [404, 'series_not_found']);
    assert.deepEqual(await codeOf('"aggregate":"sum","series_id":7'), [404, 'series_not_found']);
    assert.deepEqual(await codeOf('"aggregate":"sum","metric":"gauge","labels":{}'), [
      404,
      'series_not_found',
    ]);
    assert.deepEqual(await codeOf('"aggregate":"sum","series":"old"'), [409, 'ambiguous_selector']);
    assert.deepEqual(await codeOf('"aggregate":"p99","metric":"none"'), [400, 'invalid_aggregate']);
  });

  it('answers the same from segments and after a restart', async () => {
    client.close();
    assert.strictEqual((await server.stop()).code, 0);
    await start();
    await checkAll();
    await client.ingest(lines('gauge', '"labels":{"b":"2","a":"1"},', [['2', '4']]));
    const [, baseline] = parts(await ask('min', '"metric":"gauge"'));
    assert.strictEqual(baseline, '4');
    client.close();
  });
});
