/** A label with an empty value is no label, in every write and every query. */
import { assert } from 'chai';

import { remoteRead } from '../support/remote-read.js';
import { secondRequest, snappy, writeRequest } from '../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const base = 1_700_000_000_000;

async function send(
  server: Server,
  target: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const url = `http://127.0.0.1:${server.port}${target}`;
  const answer = await fetch(url, { method: 'POST', body: Buffer.from(body), headers });
  const text = await answer.text();
  assert.isBelow(answer.status, 300, `${target}: ${text}`);
  return text;
}

const json = (value: unknown): string => JSON.stringify(value);
const asked = async (server: Server, name: string, body: unknown): Promise<unknown> =>
  JSON.parse(await send(server, `/api/v1/${name}`, json(body)));

async function rows(server: Server, statement: string): Promise<unknown> {
  const answer = await send(server, '/api/v1/seriesql', statement);
  return (JSON.parse(answer) as { readonly rows: unknown }).rows;
}

/** Writes through every protocol an empty label beside `b="x"`, each at its own time. */
async function writeEverywhere(server: Server): Promise<number> {
  const at = (second: number): number => base + second * 1000;
  const telemetry = { metric: 'm', value: 1, labels: { a: '', b: 'x' }, ts: at(0) };
  await send(server, '/api/v1/ingest', json(telemetry));
  const legacy = { series: 'm', value: 1, tags: { b: 'x', c: '' }, ts: at(1) };
  await send(server, '/api/v1/ingest', json(legacy));
  await send(server, '/write?precision=ms', `m,b=x value=1 ${at(2)}`);
  const labels = { __name__: 'm', a: '', b: 'x' };
  const written = snappy(writeRequest([{ labels, samples: [[at(3), 1]] }]));
  await send(server, '/api/v1/write', written, {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
  });
  const second = snappy(secondRequest([{ labels, samples: [[at(6), 1]] }]));
  await send(server, '/api/v1/write', second, {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
  });
  const attributes = [
    { key: 'a', value: { stringValue: '' } },
    { key: 'b', value: { stringValue: 'x' } },
  ];
  const dataPoints = [{ timeUnixNano: `${at(7)}000000`, asDouble: 1, attributes }];
  const metrics = [{ name: 'm', gauge: { dataPoints } }];
  await send(server, '/v1/metrics', json({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }), {
    'content-type': 'application/json',
  });
  const columns = encodeURIComponent('time:ms,label:a,label:b,value:m');
  await send(server, `/api/v1/import/csv?columns=${columns}`, `${at(4)},"",x,1\n`, {
    'content-type': 'text/csv',
  });
  await rows(server, `insert into m{a='', b='x'} values (${at(5)}, 1)`);
  return 8;
}

describe('a label with an empty value', () => {
  let server: Server;
  let count = 0;
  before(async () => {
    server = await startServer({ dataDir: temporaryDirectory() });
    count = await writeEverywhere(server);
    await send(
      server,
      '/api/v1/ingest',
      json({ metric: 'm', value: 2, labels: { a: 'y' }, ts: base }),
    );
  });
  after(killServers);

  it('makes no series of its own in any format', async () => {
    const found = (await asked(server, 'series/find', { metric: 'm', labels: { b: 'x' } })) as {
      readonly labels: unknown;
    }[];
    assert.deepStrictEqual(
      found.map(({ labels }) => labels),
      [{ b: 'x' }],
    );
    const range = { start: base, end: base + 60_000 };
    const samples = await asked(server, 'query/range', {
      metric: 'm',
      labels: { b: 'x' },
      ...range,
    });
    assert.lengthOf(samples as [], count);
  });

  it('is ignored when one series is selected', async () => {
    const range = { start: base, end: base + 60_000 };
    for (const selector of [
      { metric: 'm', labels: { a: '', b: 'x', z: '' } },
      { series: 'm', tags: { b: 'x', z: '' } },
    ]) {
      assert.lengthOf((await asked(server, 'query/range', { ...selector, ...range })) as [], count);
    }
  });

  it('selects the series without that label, in every list and language', async () => {
    const inLists = async (labels: object): Promise<number> =>
      ((await asked(server, 'series/find', { metric: 'm', labels })) as []).length;
    assert.deepStrictEqual(
      [await inLists({ a: '' }), await inLists({ b: '' }), await inLists({ a: '', b: '' })],
      [1, 1, 0],
    );
    assert.lengthOf((await asked(server, 'query/find', { tags: { a: '' } })) as [], 1);
    const counted = async (source: string): Promise<unknown> =>
      rows(server, `select tag.b, count(*) from ${source} where time >= 0 group by 1`);
    assert.deepStrictEqual(await counted("m{a=''}"), [['x', count]]);
    assert.deepStrictEqual(await counted("m{a!=''}"), [[null, 1]]);
    assert.deepStrictEqual(await counted("m{a='', b=''}").catch(() => 'none'), 'none');
    const values = await asked(server, 'labels/values', { key: 'a' });
    assert.deepStrictEqual(values, { values: ['y'] });
  });

  it('is absent from every answer to Prometheus', async () => {
    const time = base / 1000 + 10;
    const url = `/api/v1/query?query=${encodeURIComponent('m{a=""}')}&time=${time}`;
    const { data } = JSON.parse(await send(server, url, '')) as {
      readonly data: { readonly result: { readonly metric: unknown }[] };
    };
    assert.deepStrictEqual(
      data.result.map(({ metric }) => metric),
      [{ __name__: 'm', b: 'x' }],
    );
    const read = { start: base, end: base + 60_000, matchers: [['a', '=', '']] as const };
    const [found] = await remoteRead(server.port, [read]);
    assert.deepStrictEqual(
      found?.map(({ labels, samples }) => [labels, samples.length]),
      [['{__name__="m",b="x"}', count]],
    );
  });

  it('is not stored with an annotation, and selects annotations without that label', async () => {
    const note = { kind: 'k', title: 't', start: base, labels: { a: '', b: 'x' } };
    const stored = (await asked(server, 'annotations/write', note)) as { readonly labels: unknown };
    assert.deepStrictEqual(stored.labels, { b: 'x' });
    const found = async (labels: object): Promise<number> =>
      ((await asked(server, 'annotations/query', { labels })) as []).length;
    assert.deepStrictEqual([await found({ a: '' }), await found({ b: '' })], [1, 0]);
  });
});
