import { assert } from 'chai';

import { nativeShortFigures } from '../../src/storage/native/stats-contract.js';

import { addon, duringSuite, freshDirectory, optionsFor, store, thrownBy } from './addon.js';

import type { NativeEngine, NativeTextQuery } from '../../src/storage/native/contract.js';

const figuresSize = nativeShortFigures.length * 8;

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
  duringSuite(async (opened) => {
    engine = opened;
    const lines = Array.from(
      { length: 30_000 },
      (_, at) => `{"metric":"long","ts":${at},"value":1}`,
    );
    lines.push('{"metric":"one","ts":1,"value":0.5}', '{"metric":"two","ts":2,"value":7}');
    await store(engine, lines.join('\n'));
    // A large memtable is never a short read.
    await engine.maintain('flush');
  });

  const read = (name: string, start: bigint, end: bigint, limits = roomy) => ({
    series: ofMetric(name),
    ranges: BigInt64Array.of(start, end),
    limits,
  });

  const room = new Uint8Array(200_000);
  const textOf = (size: number | null): string =>
    Buffer.from(room.subarray(figuresSize, figuresSize + (size ?? 0))).toString();
  const figures = (): Readonly<Record<string, number>> => {
    const numbers = new Float64Array(room.buffer, 0, nativeShortFigures.length);
    return Object.fromEntries(nativeShortFigures.map((name, at) => [name, numbers[at] ?? NaN]));
  };

  it('answers for the selection, times and limits of each call', () => {
    const prepared = engine.prepareQuery(query);
    for (const [name, start, text] of [
      ['one', 0n, '[1,0.5]'],
      ['two', 0n, '[2,7]'],
      ['long', 5n, '[5,1],[6,1],[7,1],[8,1],[9,1]'],
    ] as const) {
      const size = prepared.answer(read(name, start, 9n), room);
      assert.strictEqual(textOf(size), text);
      const rowCount = text.split('],').length;
      const { rowsScanned, seriesSelected, seriesScanned, ...told } = figures();
      assert.strictEqual(told['rowCount'], rowCount);
      assert.deepEqual([rowsScanned, seriesSelected, seriesScanned], [rowCount, 1, 1]);
    }
    const few = { ...roomy, samples: 2 };
    assert.strictEqual(
      thrownBy(() => prepared.answer(read('long', 5n, 9n, few), room)),
      'query_limit_exceeded',
    );
    assert.strictEqual(
      thrownBy(() => prepared.answer(read('none', 5n, 9n), room)),
      'series_not_found',
    );
  });

  it('leaves long and empty answers, and those without room, to a stream', () => {
    const prepared = engine.prepareQuery(query);
    const exact = room.subarray(0, figuresSize + '[1,0.5]'.length);
    assert.strictEqual(prepared.answer(read('one', 0n, 9n), exact), 7);
    assert.isNull(prepared.answer(read('one', 0n, 9n), exact.subarray(1)));
    assert.isNull(prepared.answer(read('long', 0n, 30_000n), room));
    assert.isNull(prepared.answer(read('one', 5n, 9n), room));
    assert.isNotNull(prepared.answer(read('one', 0n, 9n), room));
  });

  it('rejects an invalid selection, range or limit, and stays usable', () => {
    const prepared = engine.prepareQuery(query);
    const loose = prepared as unknown as { answer: (...args: readonly unknown[]) => unknown };
    const good = read('one', 0n, 9n);
    const backwards = { ...good, ranges: BigInt64Array.of(9n, 0n) };
    const odd = { ...good, ranges: BigInt64Array.of(0n) };
    for (const wrong of [undefined, null, {}, 7, { ...good, series: 7 }, backwards, odd]) {
      assert.strictEqual(
        thrownBy(() => loose.answer(wrong, room)),
        'invalid_argument',
      );
    }
    for (const limits of [undefined, null, 7, { ...roomy, rows: -1 }, { ...roomy, series: 'x' }]) {
      assert.strictEqual(
        thrownBy(() => loose.answer({ ...good, limits }, room)),
        'invalid_argument',
      );
    }
    for (const wrong of [undefined, null, [], new ArrayBuffer(9000), new Uint8Array(71)]) {
      assert.strictEqual(
        thrownBy(() => loose.answer(good, wrong)),
        'invalid_argument',
      );
    }
    const leaving = new Uint8Array(room.length);
    const getting = {
      ...good,
      get limits() {
        structuredClone(leaving, { transfer: [leaving.buffer] });
        return roomy;
      },
    };
    assert.strictEqual(
      thrownBy(() => prepared.answer(getting, leaving)),
      'invalid_argument',
    );
    assert.isNotNull(prepared.answer(good, room));
  });

  it('accepts only queries with rows as text, and ends with its engine', async () => {
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
      thrownBy(() => prepared.answer(read('one', 0n, 9n), room)),
      'closed',
    );
    assert.strictEqual(
      thrownBy(() => other.prepareQuery(query)),
      'closed',
    );
  });
});
