/** Tab completion in statements, against a server that knows a few metrics. */
import { assert } from 'chai';

import { Completer } from '../../src/cli/prompt/complete.js';

import type { MetricDescriptor } from '../../src/client/client.js';

const metric = (name: string, keys: readonly string[]): MetricDescriptor => ({
  ...{ metric: name, kind: 'gauge', series_count: 1, label_keys: [...keys] },
  ...{ first_ts: null, last_ts: null },
});
const metrics = [
  metric('cpu.load', ['host', 'k8s.pod']),
  metric('cpu.user', ['host', 'zone']),
  metric('my-metric', []),
  metric('evil\u001b[2J', []),
];
const asked: unknown[] = [];
const server = {
  findMetrics: ({ prefix = '' }: { readonly prefix?: string } = {}) =>
    Promise.resolve(metrics.filter((one) => one.metric.startsWith(prefix))),
  labelValues: (filter: { readonly prefix?: string }) => {
    asked.push(filter);
    const values = ['a', "b'c"];
    return Promise.resolve(values.filter((one) => one.startsWith(filter.prefix ?? '')));
  },
};
const completer = new Completer(
  server,
  new Map<string, 'metric' | readonly string[]>([
    ['\\d', 'metric'],
    ['\\format', ['csv', 'chart']],
  ]),
);
const words = async (text: string): Promise<readonly string[]> =>
  (await completer.complete(text))[0];

describe('Tab in a statement', () => {
  it('completes keywords, functions and columns, in the case typed', async () => {
    assert.deepEqual(await words('sel'), ['select ']);
    assert.deepEqual(await words('SEL'), ['SELECT ']);
    assert.include(await words('select ti'), 'time');
    assert.deepEqual(await words('select percen'), ['percentile(']);
    assert.deepEqual(await words('select xyzzy'), []);
  });

  it('completes metrics after FROM and INTO, and quotes special names', async () => {
    assert.deepEqual(await words('select value from cpu.l'), ['cpu.load']);
    assert.deepEqual(await words('insert into my'), ['"my-metric"']);
    assert.deepEqual(await words('show labels from "my'), ['my-metric"']);
    assert.deepEqual(await words("select value from a where metric = 'cpu.u"), ["cpu.user'"]);
  });

  it('completes label keys, of the metric if one is named', async () => {
    assert.deepEqual(await words('select tag.'), ['tag."k8s.pod"', 'tag.host', 'tag.zone']);
    assert.deepEqual(await words('select 1 from cpu.load{'), ['"k8s.pod"', 'host']);
    assert.deepEqual(await words("select 1 from cpu.load{host='a', k"), ['"k8s.pod"']);
    assert.deepEqual(await words('select 1 from cpu.load{"k'), ['k8s.pod"']);
    assert.deepEqual(await words('select 1 from cpu.user group by tag.z'), ['tag.zone']);
    assert.deepEqual(await words('select 1 from cpu.user group by tag."z'), ['zone"']);
    assert.deepEqual(await words('show label values for h'), ['host']);
  });

  it('completes label values, in braces and after an operator', async () => {
    asked.length = 0;
    assert.deepEqual(await words("select 1 from cpu.load{host='"), ["a'", "b''c'"]);
    assert.deepEqual(await words('select 1 from cpu.load where tag.host = '), ["'a'", "'b''c'"]);
    assert.deepEqual(await words('select 1 from cpu.load where tag."host" != \'b'), ["b''c'"]);
    const [filter] = asked;
    assert.deepEqual(filter, { key: 'host', metric: 'cpu.load', prefix: '', limit: 500 });
    assert.deepEqual(await words("select 1 from cpu.load where value = '"), []);
    assert.deepEqual(await words("select 1 from m where tag.host not in ('a', '"), ["a'", "b''c'"]);
    await words("select 1 from cpu.load{zone='x', host='");
    assert.deepInclude(asked.at(-1), { key: 'host', labels: { zone: 'x' } });
  });

  it('returns the part of the line that a word replaces', async () => {
    assert.strictEqual((await completer.complete('select\n1 from cpu.l'))[1], 'cpu.l');
    assert.strictEqual((await completer.complete('select label.ho'))[1], 'label.ho');
    assert.strictEqual((await completer.complete("select 1 from m{host='b"))[1], 'b');
  });

  it('completes prompt commands and their arguments', async () => {
    assert.deepEqual(await words('\\'), ['\\d', '\\format']);
    assert.deepEqual(await words('\\d cpu.u'), ['cpu.user']);
    assert.deepEqual(await words('\\format c'), ['csv', 'chart']);
  });

  it('offers nothing in comments and texts, and no control characters', async () => {
    assert.deepEqual(await words('select 1 -- sel'), []);
    assert.deepEqual(await words("select 'sel"), []);
    assert.deepEqual(await words('select 1 from evil'), []);
  });

  it('treats no match as unique if the list was truncated', async () => {
    const many = Array.from({ length: 500 }, (_, at) => metric(`m.${String(at)}`, []));
    const known = { ...server, findMetrics: () => Promise.resolve(many) };
    const [found] = await new Completer(known, new Map()).complete('select 1 from m');
    assert.include(found, 'm…');
  });
});
