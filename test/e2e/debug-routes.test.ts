import { assert } from 'chai';

import { ServerOfTest } from '../support/server-of-test.js';

interface BlockSize {
  readonly size: number;
  readonly allocations: number;
  readonly in_use: number;
  readonly high_water: number;
  readonly refills: number;
  readonly slabs: number;
}

interface Catalog {
  readonly namespaces: readonly { readonly name: string }[];
  readonly types: readonly { readonly name: string }[];
  readonly classes: readonly Readonly<Record<string, unknown>>[];
  readonly attributes: readonly Readonly<Record<'class' | 'name' | 'type', string>>[];
}

describe('the debug routes', function () {
  this.timeout(60_000);
  const own = ServerOfTest.forEach();

  const compat = async (): Promise<Record<string, number>> =>
    JSON.parse((await own.client.get('/debug/compat/stats')).body) as Record<string, number>;
  const classes = async (): Promise<readonly BlockSize[]> => {
    const answer = await own.client.get('/debug/alloc/stats');
    assert.strictEqual(answer.status, 200, answer.body);
    const { allocator, classes: rows } = JSON.parse(answer.body) as {
      allocator: string;
      classes: readonly BlockSize[];
    };
    assert.strictEqual(allocator, 'small_pool');
    return rows;
  };

  it('count the use of the legacy forms, and nothing else', async () => {
    await own.start();
    const lines = [
      '{"series":"s","tags":{"a":"b"},"ts":1,"value":1}',
      '{"metric":"m","ts":1,"value":1}',
    ];
    await own.client.ingest(lines.join('\n'));
    await own.client.ingest(lines.join('\n'));
    const range = { start: 0n, end: 9n };
    await own.client.rangeGet({ metric: 'm', ...range });
    await own.client.rangePost({ metric: 'm', labels: {}, ...range });
    await own.client.rangeGet({ series: 's', labels: { a: 'b' }, ...range });
    await own.client.rangePost({ series: 's', ...range });
    await own.client.get('/api/v1/query/range?series=s&start=x&end=1');
    assert.deepEqual(await compat(), {
      legacy_ingest_lines: 2,
      legacy_selector_queries: 2,
      translations: 0,
      fallbacks: 0,
      cache_hits: 0,
    });
  });

  it('show metrics as relations, in more pieces than one', async () => {
    await own.start();
    const empty = JSON.parse((await own.client.get('/debug/compat/catalog')).body) as Catalog;
    assert.deepEqual([empty.classes, empty.attributes], [[], []]);
    const first =
      '{"metric":"a\\"b","labels":{"x":"1"},"ts":9007199254740993,"value":1,"unit":"s"}';
    const lines = Array.from(
      { length: 5_000 },
      (_, at) => `{"metric":"m${String(at).padStart(4, '0')}","labels":{"k":"v"},"ts":1,"value":1}`,
    );
    await own.client.ingest([first, ...lines].join('\n'));
    const { body } = await own.client.get('/debug/compat/catalog');
    assert.isAbove(body.length, 600_000);
    assert.include(body, '"first_ts":9007199254740993');
    const { namespaces, types, classes: rows, attributes } = JSON.parse(body) as Catalog;
    assert.deepEqual(namespaces, [{ name: 'metrics' }]);
    assert.lengthOf(rows, 5_001);
    assert.deepInclude(rows[0], { metric: 'a"b', kind: 'gauge', unit: 's', series_count: 1 });
    assert.lengthOf(attributes, 15_003);
    assert.deepEqual(attributes.slice(0, 3), [
      { class: 'a"b', name: 'ts', type: 'timestamp' },
      { class: 'a"b', name: 'value', type: 'double' },
      { class: 'a"b', name: 'x', type: 'label' },
    ]);
    const known = new Set(types.map((one) => one.name));
    assert.isTrue(attributes.every((one) => known.has(one.type)));
  });

  it('answer 404 for allocator stats with the system allocator', async () => {
    await own.start();
    const answer = await own.client.get('/debug/alloc/stats');
    assert.strictEqual(answer.status, 404);
    assert.strictEqual((JSON.parse(answer.body) as { code: string }).code, 'not_found');
  });

  it('show small blocks as samples come and go, and answers do not change', async () => {
    await own.start('--allocator', 'small_pool', '--memtable-max-bytes', '1MiB');
    const seriesCount = 1_500;
    const lines = (ts: number): string =>
      Array.from(
        { length: seriesCount },
        (_, at) =>
          `{"metric":"m","labels":{"n":"${String(at)}"},"ts":${String(ts)},"value":${String(at)}}`,
      ).join('\n');
    await own.client.ingest(lines(0));
    const [block] = (await classes()).filter((one) => one.in_use > 0);
    // A series begins with room for four samples of 16 bytes.
    assert.deepInclude(block, { size: 64, allocations: seriesCount, in_use: seriesCount });
    for (let ts = 1; ts < 200; ts++) await own.client.ingest(lines(ts));
    // 300,000 samples are several memtables of 1 MiB: blocks went back.
    const after = await classes();
    const first = after.find((one) => one.size === 64);
    assert.isDefined(first);
    assert.isAbove(first.allocations, 2 * first.high_water);
    for (const one of after) {
      assert.isAtMost(one.in_use, one.high_water);
      assert.isAtMost(one.high_water, one.allocations);
      assert.isAtLeast(one.refills, one.slabs);
    }
    const sum = (of: (one: BlockSize) => number): number =>
      after.reduce((total, one) => total + of(one), 0);
    // Each memtable began slabs of its own.
    assert.isAtLeast(
      sum((one) => one.slabs),
      3,
    );
    for (const at of [0, 777, seriesCount - 1]) {
      const labels = { n: String(at) };
      const samples = await own.client.rangeGet({ metric: 'm', labels, start: 0n, end: 999n });
      assert.deepEqual(
        samples,
        Array.from({ length: 200 }, (_, ts) => ({ ts: BigInt(ts), value: at })),
      );
    }
    assert.strictEqual((await own.server.stop()).code, 0);
  });
});
