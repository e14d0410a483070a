/** Tokens bound to a label: to each, the database looks as if it held only that label's data. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { ask, startConfigured, type Asked } from '../support/admin-server.js';
import { digestOf, type TokenEntry } from '../../src/http/auth/token.js';
import { printEntry } from '../../src/http/auth/token-file.js';
import { readFrames, seriesOfFrames } from '../support/chunk-stream.js';
import { postRead, readRequest, remoteRead, type AskedMatcher } from '../support/remote-read.js';
import { snappy, writeRequest } from '../support/remote-write.js';
import { routeTable } from '../../src/http/route-table.js';
import {
  killServers,
  removeDirectory,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const entry = (name: string, scopes: TokenEntry['scopes'], tenant?: string): string =>
  printEntry({
    ...{ name, scopes, digest: digestOf(`secret-${name}`) },
    ...(tenant === undefined ? {} : { labels: [['tenant', tenant]] as const }),
  });

const every = { start: 0, end: 1_000 };
const windows = { ...every, baseline_start: 0, baseline_end: 1_000 };
const of = (rows: unknown): unknown[] => rows as unknown[];

describe('tokens bound to a label', function () {
  this.timeout(60_000);
  let folder = '';
  let server: Server;
  before(async () => {
    folder = temporaryDirectory();
    const file = path.join(folder, 'tokens.toml');
    const both = ['read', 'write'] as const;
    writeFileSync(
      file,
      entry('a', both, 'a') + entry('b', both, 'b') + entry('all', ['read', 'write', 'admin']),
    );
    ({ server } = await startConfigured('node', `tokens_file = "${file}"\n`));
  });
  after(async () => {
    await killServers();
    removeDirectory(folder);
  });

  const post = (who: string, target: string, body: string | object): Promise<Asked> =>
    ask(server.port, target, {
      method: 'POST',
      headers: { authorization: `Bearer secret-${who}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  async function answer(who: string, target: string, body: string | object): Promise<unknown> {
    const { status, body: text } = await post(who, target, body);
    assert.include([200, 201], status, text);
    return JSON.parse(text);
  }
  const ingest = (who: string, ...lines: readonly object[]): Promise<Asked> =>
    post(who, '/api/v1/ingest', lines.map((line) => JSON.stringify(line)).join('\n'));
  const rows = async (who: string, statement: string): Promise<unknown> =>
    ((await answer(who, '/api/v1/seriesql', statement)) as { rows: unknown }).rows;
  const range = (who: string, selector: object): Promise<unknown> =>
    answer(who, '/api/v1/query/range', { ...every, ...selector });

  before(async () => {
    for (const [who, value] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      const lines = [
        { metric: 'cpu', labels: { host: 'h' }, ts: 10, value },
        { metric: 'bare', ts: 10, value },
        { series: 'old', tags: { site: 'x' }, ts: 10, value },
        { metric: `only-${who}`, labels: { [`key-${who}`]: `value-${who}` }, ts: 20, value },
      ];
      assert.strictEqual((await ingest(who, ...lines)).status, 200);
    }
    await ingest('all', { metric: 'cpu', labels: { host: 'h' }, ts: 10, value: 3 });
    await post('all', '/api/v1/annotations/write', {
      ...{ kind: 'k', title: 'ours', ...every, labels: {} },
    });
  });

  it('add the label to every line, of a known or a new series', async () => {
    for (let again = 0; again < 2; again++) {
      const line = { metric: 'again', labels: { host: 'h' }, ts: again, value: 1 };
      assert.strictEqual((await ingest('a', line, line)).status, 200);
      assert.strictEqual((await ingest('b', line)).status, 200);
    }
    assert.deepEqual(
      await rows('all', 'show series from again'),
      [
        ...of(await rows('a', 'show series from again')),
        ...of(await rows('b', 'show series from again')),
      ].sort(byId),
    );
    const labels = { host: 'h', tenant: 'a' };
    assert.deepEqual(await range('all', { metric: 'again', labels }), [
      { ts: 0, value: 1 },
      { ts: 1, value: 1 },
    ]);
  });

  it('accept a line with the bound label, and reject another value of it', async () => {
    const line = { metric: 'said', labels: { tenant: 'a' }, ts: 1, value: 1 };
    assert.strictEqual((await ingest('a', line)).status, 200);
    const refused = await ingest('b', line);
    assert.strictEqual(refused.status, 400);
    assert.match(refused.body, /line 1: the label \\"tenant\\" must be \\"b\\"/);
    const skipped = await post('b', '/api/v1/ingest?on_error=skip', JSON.stringify(line));
    assert.include(skipped.body, '"ingested":0,"rejected":1');
    const insert = `insert into said (time, value, tenant) values (1, 1, 'a')`;
    assert.strictEqual((await post('b', '/api/v1/seriesql', insert)).status, 400);
    await answer('b', '/api/v1/seriesql', `insert into said (time, value) values (1, 7)`);
    assert.deepEqual(await range('b', { metric: 'said' }), [{ ts: 1, value: 7 }]);
    assert.deepEqual(await range('a', { metric: 'said' }), [{ ts: 1, value: 1 }]);
  });

  it('add the label to line protocol, of a known or a new series', async () => {
    for (let again = 0; again < 2; again++) {
      for (const who of ['a', 'b']) {
        const lines = `influx,host=h value=${again}i,idle=0.5 ${again}\n`;
        const { status } = await post(who, '/write?precision=ms', lines);
        assert.strictEqual(status, 204);
      }
    }
    const both = [
      { ts: 0, value: 0 },
      { ts: 1, value: 1 },
    ];
    for (const who of ['a', 'b']) {
      assert.deepEqual(await range(who, { metric: 'influx', labels: { host: 'h' } }), both);
    }
    assert.lengthOf(of(await rows('all', 'show series from influx')), 2);
    const refused = await post('a', '/write', 'influx,tenant=b value=1 1\n');
    assert.strictEqual(refused.status, 400);
    assert.match(refused.body, /must be \\"a\\": the token allows no other value/);
  });

  it('add the label to every table row, and reject another value', async () => {
    const target = '/api/v1/import/csv?columns=time,value:table,label:tenant,label:host';
    for (const who of ['a', 'b'] as const) {
      await answer(who, target, '1,5,,h\n');
      assert.deepEqual(await range(who, { metric: 'table' }), [{ ts: 1, value: 5 }]);
      const labels = { host: 'h', tenant: who };
      assert.deepEqual(await range('all', { metric: 'table', labels }), [{ ts: 1, value: 5 }]);
    }
    const refused = await post('b', target, '2,5,,h\n2,5,a,h\n');
    assert.strictEqual(refused.status, 400);
    assert.match(refused.body, /line 2: the label \\"tenant\\" must be \\"b\\"/);
    assert.deepEqual(await range('b', { metric: 'table' }), [{ ts: 1, value: 5 }]);
  });

  it('add the label to every remote_write series, and reject another value', async () => {
    const send = (who: string, labels: Record<string, string>, ts: number) =>
      ask(server.port, '/api/v1/write', {
        method: 'POST',
        headers: {
          authorization: `Bearer secret-${who}`,
          'content-type': 'application/x-protobuf',
          'content-encoding': 'identity',
        },
        body: writeRequest([{ labels, samples: [[ts, ts]] }]),
      });
    const labels = { __name__: 'sent', host: 'h' };
    for (let ts = 0; ts < 3; ts++) {
      for (const who of ['a', 'b']) assert.strictEqual((await send(who, labels, ts)).status, 204);
    }
    for (const who of ['a', 'b']) {
      assert.lengthOf(of(await range(who, { metric: 'sent', labels: { host: 'h' } })), 3);
    }
    assert.lengthOf(of(await rows('all', 'show series from sent')), 2);
    const refused = await send('a', { ...labels, tenant: 'b' }, 9);
    assert.strictEqual(refused.status, 400);
    assert.include(refused.body, 'must be "a": the token allows no other value');
  });

  it('export only their own series', async () => {
    const exported = async (who: string, query: string): Promise<string[]> => {
      const headers = { authorization: `Bearer secret-${who}` };
      const { status, body } = await ask(server.port, `/api/v1/export?${query}`, { headers });
      assert.strictEqual(status, 200, body);
      return body.trim().split('\n');
    };
    for (const who of ['a', 'b']) {
      for (const line of await exported(who, '')) assert.include(line, `"tenant":"${who}"`);
      const [head, ...cells] = await exported(who, 'format=csv&metric=cpu');
      assert.strictEqual(head, 'ts_ms,metric,value,host,tenant');
      assert.deepEqual(cells, [`10,cpu,${who === 'a' ? '1' : '2'},h,${who}`]);
    }
    assert.lengthOf(await exported('all', 'metric=cpu'), 3);
  });

  it('see only their own series, labels and values in the Prometheus API', async () => {
    const told = async (who: string, target: string): Promise<unknown> => {
      const headers = { authorization: `Bearer secret-${who}` };
      const { status, body } = await ask(server.port, `/api/v1/${target}`, { headers });
      assert.strictEqual(status, 200, body);
      return (JSON.parse(body) as { data: unknown }).data;
    };
    for (const [who, value] of [
      ['a', '1'],
      ['b', '2'],
    ] as const) {
      const cpu = { __name__: 'cpu', host: 'h', tenant: who };
      const match = `match[]=${encodeURIComponent('{__name__="cpu",tenant=~".*"}')}`;
      assert.deepEqual(await told(who, `series?${match}`), [cpu]);
      assert.deepEqual(await told(who, `series?${match}&match[]=cpu`), [cpu]);
      assert.deepEqual(await told(who, `label/tenant/values?${match}`), [who]);
      assert.deepEqual(await told(who, 'label/tenant/values'), [who]);
      const query = encodeURIComponent('sum(cpu)');
      const sum = (await told(who, `query?query=${query}&time=0.1`)) as { result: object[] };
      assert.deepInclude(sum.result[0], { value: [0.1, value] });
      const export_ = await ask(server.port, `/api/v1/export?${match}`, {
        headers: { authorization: `Bearer secret-${who}` },
      });
      assert.lengthOf(export_.body.trimEnd().split('\n'), 1);
      assert.include(export_.body, `"tenant":"${who}"`);
    }
  });

  it('read only their own series by remote_read, whatever the matchers', async () => {
    const own = async (who: string, matchers: readonly AskedMatcher[]) => {
      const reads = [{ start: 0, end: 1_000, matchers }];
      const headers = { authorization: `Bearer secret-${who}` };
      const [found = []] = await remoteRead(server.port, reads, headers);
      const body = Buffer.from(snappy(readRequest(reads, [1])));
      const streamed = await postRead(server.port, body, headers);
      assert.deepEqual(seriesOfFrames(readFrames(streamed.bytes), 1), [found]);
      return found.map(({ labels, samples }) => [labels, samples.map(({ value }) => value)]);
    };
    const cpu = (tenant: string) => `{__name__="cpu",host="h",tenant="${tenant}"}`;
    for (const [who, value] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      for (const matchers of [
        [['__name__', '=', 'cpu']],
        [['__name__', '=~', 'c.u']],
        [
          ['__name__', '=', 'cpu'],
          ['tenant', '=~', '.*'],
        ],
        [
          ['host', '!~', 'z+'],
          ['host', '!=', ''],
          ['__name__', '!~', '[^c].*'],
        ],
      ] as const) {
        assert.deepEqual(await own(who, matchers), [[cpu(who), [value]]], JSON.stringify(matchers));
      }
      assert.deepEqual(await own(who, [['tenant', '=', who === 'a' ? 'b' : 'a']]), []);
    }
    assert.lengthOf(await own('all', [['__name__', '=', 'cpu']]), 3);
  });

  it('read only their own series by every kind of selector', async () => {
    const known = of(await answer('all', '/api/v1/series/find', { metric: 'cpu' })) as {
      series_id: number;
      labels: { tenant?: string };
    }[];
    const idOf = (tenant?: string) =>
      known.find(({ labels }) => labels.tenant === tenant)?.series_id;
    for (const [who, value] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      const own = [{ ts: 10, value }];
      assert.deepEqual(await range(who, { metric: 'cpu', labels: { host: 'h' } }), own);
      assert.deepEqual(
        await range(who, { metric: 'cpu', labels: { host: 'h', tenant: who } }),
        own,
      );
      assert.deepEqual(await range(who, { metric: 'cpu' }), own);
      assert.deepEqual(await range(who, { metric: 'bare' }), own);
      assert.deepEqual(await range(who, { metric: 'bare', labels: {} }), own);
      assert.deepEqual(await range(who, { series: 'old', tags: { site: 'x' } }), own);
      assert.deepEqual(await range(who, { series_id: idOf(who) }), own);
      assert.deepEqual(await range(who, { series_id: idOf(who === 'a' ? 'b' : 'a') }), []);
      assert.deepEqual(await range(who, { series_id: idOf() }), []);
      const other = who === 'a' ? 'b' : 'a';
      assert.deepEqual(
        await range(who, { metric: 'cpu', labels: { host: 'h', tenant: other } }),
        [],
      );
      assert.deepEqual(await range(who, { metric: `only-${other}` }), []);
    }
    assert.deepEqual(await range('all', { metric: 'cpu', labels: { host: 'h' } }), [
      { ts: 10, value: 3 },
    ]);
    const more = { metric: 'cpu', labels: { host: 'i' }, ts: 10, value: 1 };
    assert.strictEqual((await ingest('a', more)).status, 200);
    const ambiguous = await post('a', '/api/v1/query/range', { ...every, metric: 'cpu' });
    assert.strictEqual(ambiguous.status, 409);
    assert.include(ambiguous.body, '2 series are named');
    assert.deepEqual(await range('b', { metric: 'cpu' }), [{ ts: 10, value: 2 }]);
  });

  it('find only their own series', async () => {
    const metrics = of(await answer('a', '/api/v1/metrics/find', {})) as { metric: string }[];
    assert.includeMembers(
      metrics.map(({ metric }) => metric),
      ['bare', 'cpu', 'old', 'only-a'],
    );
    const comparison = { metric: 'only-b', ...windows, aggregate: 'avg' };
    const unknown = await post('a', '/api/v1/query/compare', comparison);
    assert.strictEqual(unknown.status, 404);
    const mistaken = await post('a', '/api/v1/seriesql', 'select last(value) from only-c');
    assert.notInclude(mistaken.body, 'only-b');
  });

  it('see no other series through any route', async () => {
    const foreign = /only-b|key-b|value-b|tenant":"b/;
    const answered = new Set<string>();
    let routes = 0;
    for (const { path: target, method, scope, protocol, example } of routeTable.routes) {
      // Routes of foreign protocols take no JSON.
      if (scope !== 'read' || method !== 'POST' || protocol !== undefined) continue;
      const broad = { ...(example.body as object), metric: undefined, labels: undefined };
      for (const metric of [undefined, 'only-a', 'only-b', 'cpu']) {
        const body = { ...broad, metric };
        for (const more of [{}, { key: 'key-b' }, { key: 'tenant' }, { tags: { tenant: 'b' } }]) {
          const { status, body: text } = await post('a', target, { ...body, ...more, ...windows });
          if (status === 200) answered.add(target);
          assert.notMatch(text.replaceAll(/"error":"[^}]*/g, ''), foreign, target);
        }
      }
      routes += 1;
    }
    assert.isAbove(routes, 6);
    assert.strictEqual(answered.size, routes, [...answered].join(' '));
    for (const statement of [
      'show metrics',
      'show series from cpu',
      'show labels from cpu',
      'show label values for tenant from cpu',
      'select * from cpu where time >= 0',
      "select count(*) from cpu where time >= 0 and (tag.tenant = 'b' or tag.host = 'h')",
    ]) {
      assert.notMatch(JSON.stringify(await rows('a', statement)), foreign, statement);
    }
  });

  it('create, change and delete only their own annotations', async () => {
    const note = { kind: 'deploy', title: 'mine', ...every };
    const { id, labels } = (await answer('a', '/api/v1/annotations/write', note)) as {
      id: number;
      labels: unknown;
    };
    assert.deepEqual(labels, { tenant: 'a' });
    const notes = async (who: string, more: object = {}) =>
      (of(await answer(who, '/api/v1/annotations/query', more)) as { title: string }[]).map(
        ({ title }) => title,
      );
    assert.deepEqual(await notes('a'), ['mine']);
    assert.deepEqual(await notes('b'), []);
    assert.deepEqual(await notes('b', { labels: { tenant: 'a', x: 'y' }, op: 'or' }), []);
    assert.deepEqual(await notes('all'), ['ours', 'mine']);
    const theirs = await post('b', '/api/v1/annotations/update', { ...note, id });
    assert.strictEqual(theirs.status, 404);
    assert.strictEqual((await post('b', '/api/v1/annotations/delete', { id })).status, 404);
    const away = { ...note, id, labels: { tenant: 'b' } };
    assert.strictEqual((await post('a', '/api/v1/annotations/update', away)).status, 400);
    await answer('a', '/api/v1/annotations/update', { ...note, id, title: 'still mine' });
    assert.deepEqual(await notes('a'), ['still mine']);
    await answer('a', '/api/v1/annotations/delete', { id });
    assert.deepEqual(await notes('a'), []);
    assert.deepEqual(await notes('all'), ['ours']);
  });

  it('may set one label less than other tokens, 63 on an annotation', async () => {
    const keys = (count: number) =>
      Array.from({ length: count }, (_, at) => [`k${at}`, 'v'] as const);
    const note = (count: number) =>
      post('a', '/api/v1/annotations/write', {
        ...{ kind: 'many', title: 'many', ...every, labels: Object.fromEntries(keys(count)) },
      });
    const refused = await note(64);
    assert.strictEqual(refused.status, 400, refused.body);
    assert.include(refused.body, '"code":"invalid_labels"');
    const { status, body } = await note(63);
    assert.strictEqual(status, 201, body);
    const { id } = JSON.parse(body) as { readonly id: number };
    await answer('a', '/api/v1/annotations/delete', { id });
  });

  it('delete only their own samples', async () => {
    const line = { metric: 'gone', ts: 1, value: 1 };
    for (const who of ['a', 'b', 'all']) await ingest(who, line);
    await answer('a', '/api/v1/seriesql', 'delete from gone where time between 0 and 9');
    assert.deepEqual(await range('a', { metric: 'gone' }), []);
    assert.deepEqual(await range('b', { metric: 'gone' }), [{ ts: 1, value: 1 }]);
    assert.deepEqual(await range('all', { metric: 'gone', labels: {} }), [{ ts: 1, value: 1 }]);
  });

  it('read only their own series as of a past state', async () => {
    const create = await ask(server.adminPort, '/__admin/snapshot/create?name=then', {
      method: 'POST',
      headers: { authorization: 'Bearer secret-all' },
    });
    assert.strictEqual(create.status, 200, create.body);
    await ingest('a', { metric: 'bare', ts: 30, value: 5 });
    const statement = 'select time, value from bare where time >= 0';
    const then = (who: string) =>
      answer(who, '/api/v1/seriesql?as_of=then', statement) as Promise<{ rows: unknown }>;
    assert.deepEqual((await then('a')).rows, [[10, 1]]);
    assert.deepEqual((await then('b')).rows, [[10, 2]]);
    const target = '/api/v1/query/range?as_of=then';
    assert.deepEqual(await answer('b', target, { ...every, metric: 'bare' }), [
      { ts: 10, value: 2 },
    ]);
  });
});

function byId(left: unknown, right: unknown): number {
  return Number((left as number[])[0]) - Number((right as number[])[0]);
}
