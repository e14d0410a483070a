import { assert } from 'chai';

import { addon, freshDirectory, optionsFor, removeDirectories, strict, thrownBy } from './addon.js';

import type { NativeEngine, NativeTextQuery } from '../../src/native/contract.js';

const ofMetric = (name: string) => ({ namePrefix: null, names: [name], terms: [], isAny: false });
const roomy = { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity };
const query: NativeTextQuery = {
  of: {
    answer: 'rows',
    series: ofMetric('one'),
    ranges: BigInt64Array.of(0n, 1n),
    limits: roomy,
    filter: [],
    condition: null,
    expressions: null,
    order: [],
    isDescending: false,
    offset: 0,
    limit: Infinity,
    isOfOneSeries: false,
  },
  columns: [
    { kind: 'time', place: 0, label: '', before: '[' },
    { kind: 'value', place: 0, label: '', before: ',' },
  ],
  rowEnd: ']',
  between: ',',
  isCsv: false,
  order: [],
  offset: 0,
  limit: Infinity,
};

describe('a prepared query', () => {
  let engine: NativeEngine;
  before(async () => {
    engine = await addon.openEngine(optionsFor(freshDirectory()));
    const lines = Array.from(
      { length: 30_000 },
      (_, at) => `{"metric":"long","ts":${at},"value":1}`,
    );
    lines.push('{"metric":"one","ts":1,"value":0.5}', '{"metric":"two","ts":2,"value":7}');
    const request = engine.beginIngest(strict);
    request.write(Buffer.from(lines.join('\n')));
    await request.commit();
    // Much in memory is never short.
    await engine.maintain('flush');
  });
  after(async () => {
    await engine.close();
    removeDirectories();
  });

  const read = (name: string, start: bigint, end: bigint, limits = roomy) => ({
    series: ofMetric(name),
    ranges: BigInt64Array.of(start, end),
    limits,
  });

  it('answers each time by the selection, the times and the limits that it is given', () => {
    const prepared = engine.prepareQuery(query);
    for (const [name, start, text] of [
      ['one', 0n, '[1,0.5]'],
      ['two', 0n, '[2,7]'],
      ['long', 5n, '[5,1],[6,1],[7,1],[8,1],[9,1]'],
    ] as const) {
      const answer = prepared.answer(read(name, start, 9n));
      assert.isNotNull(answer);
      assert.strictEqual(Buffer.from(answer.text).toString(), text);
      const rowCount = text.split('],').length;
      assert.strictEqual(answer.rowCount, rowCount);
      assert.isTrue(answer.isLast);
      assert.strictEqual(answer.stats.rowsScanned, rowCount);
      assert.strictEqual(answer.stats.seriesSelected, 1);
    }
    const few = { ...roomy, samples: 2 };
    assert.strictEqual(
      thrownBy(() => prepared.answer(read('long', 5n, 9n, few))),
      'query_limit_exceeded',
    );
    assert.strictEqual(
      thrownBy(() => prepared.answer(read('none', 5n, 9n))),
      'series_not_found',
    );
  });

  it('leaves to a stream what is long, and what has no rows', () => {
    const prepared = engine.prepareQuery(query);
    assert.isNull(prepared.answer(read('long', 0n, 30_000n)));
    assert.isNull(prepared.answer(read('one', 5n, 9n)));
    assert.isNotNull(prepared.answer(read('one', 0n, 9n)));
  });

  it('refuses what is no selection, no range and no limit, and goes on', () => {
    const prepared = engine.prepareQuery(query);
    const loose = prepared as unknown as { answer: (...args: readonly unknown[]) => unknown };
    const good = read('one', 0n, 9n);
    const backwards = { ...good, ranges: BigInt64Array.of(9n, 0n) };
    const odd = { ...good, ranges: BigInt64Array.of(0n) };
    for (const args of [[], [null], [{}], [7], [{ ...good, series: 7 }], [backwards], [odd]]) {
      assert.strictEqual(
        thrownBy(() => loose.answer(...args)),
        'invalid_argument',
      );
    }
    for (const limits of [undefined, null, 7, { ...roomy, rows: -1 }, { ...roomy, series: 'x' }]) {
      assert.strictEqual(
        thrownBy(() => loose.answer({ ...good, limits })),
        'invalid_argument',
      );
    }
    assert.isNotNull(prepared.answer(good));
  });

  it('is made of rows as text alone, and ends with its engine', async () => {
    const loose = engine as unknown as { prepareQuery: (query: unknown) => unknown };
    for (const wrong of [undefined, {}, query.of]) {
      assert.strictEqual(
        thrownBy(() => loose.prepareQuery(wrong)),
        'invalid_argument',
      );
    }
    const other = await addon.openEngine(optionsFor(freshDirectory()));
    const prepared = other.prepareQuery(query);
    await other.close();
    assert.strictEqual(
      thrownBy(() => prepared.answer(read('one', 0n, 9n))),
      'closed',
    );
    assert.strictEqual(
      thrownBy(() => other.prepareQuery(query)),
      'closed',
    );
  });
});
