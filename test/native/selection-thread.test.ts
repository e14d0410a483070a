import { inspect } from 'node:util';

import { assert } from 'chai';

import { duringSuite, rejectedBy, store, thrownBy } from './addon.js';

import type { NativeEngine, NativeQueryReader } from '../../src/storage/native/contract.js';
import type { NativeSeriesFilter } from '../../src/storage/native/filter-contract.js';

const seriesCount = 3000;
const limits = { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity };
const all: NativeSeriesFilter = { namePrefix: null, names: ['m'], terms: [], isAny: false };
const read = {
  ranges: BigInt64Array.of(0n, 10n),
  limits,
  filter: [],
  condition: null,
  expressions: null,
  order: [],
};
const groups = {
  ...read,
  answer: 'groups',
  keys: [],
  keyValues: null,
  keyColumns: [],
  aggregates: [{ name: 'count', quantile: 0, argument: -1 }],
  bucket: null,
} as const;
const rows = {
  ...read,
  answer: 'rows',
  isDescending: false,
  offset: 0,
  limit: Infinity,
  isOfOneSeries: false,
} as const;

const oneHost: NativeSeriesFilter = {
  ...all,
  terms: [{ key: 'host', values: ['7'], isNegated: false, acceptsMissing: false }],
};

describe('the selection of a query', () => {
  let engine: NativeEngine;
  duringSuite(async (opened) => {
    engine = opened;
    const lines = Array.from(
      { length: seriesCount },
      (_, at) => `{"metric":"m","labels":{"host":"${at}"},"ts":${at % 5},"value":${at}}\n`,
    );
    await store(engine, lines.join(''));
  });

  /** True if another thread works on the last next() call. */
  function isElsewhere(reader: NativeQueryReader<unknown>): boolean {
    return thrownBy(() => reader.stats()) === 'invalid_argument';
  }

  const ids = BigUint64Array.from({ length: 1000 }, (_, at) => BigInt(at));
  const long: Record<string, () => NativeQueryReader<unknown>> = {
    'groups by a filter': () => engine.openQuery({ ...groups, series: all }),
    'groups by ids': () => engine.openQuery({ ...groups, series: ids }),
    'rows by a filter': () => engine.openQuery({ ...rows, series: all }),
    columns: () => engine.openQuery({ answer: 'columns', series: ids, ranges: read.ranges }),
    'one host beside all but another': () => {
      const others = { key: 'host', values: ['8'], isNegated: true, acceptsMissing: false };
      const series = { ...oneHost, terms: [...oneHost.terms, others], isAny: true };
      return engine.openQuery({ ...groups, series });
    },
  };
  for (const [name, open] of Object.entries(long)) {
    it(`starts with the first next() on another thread: ${name}`, async () => {
      const reader = open();
      assert.strictEqual(reader.stats().seriesSelected, 0);
      const first = reader.next();
      assert.isTrue(isElsewhere(reader));
      await first.catch(() => undefined);
      assert.isAbove(reader.stats().seriesSelected + (name === 'groups by ids' ? 1 : 0), 0);
      reader.close();
    });
  }

  it('runs at once if it is certainly short', async () => {
    for (const open of [groups, rows]) {
      const reader =
        open === groups
          ? engine.openQuery({ ...groups, series: oneHost })
          : engine.openQuery({ ...rows, series: oneHost });
      assert.strictEqual(reader.stats().seriesSelected, 0);
      const first = reader.next();
      const { seriesSelected, labelCount, selectMs } = reader.stats();
      assert.deepEqual({ seriesSelected, labelCount }, { seriesSelected: 1, labelCount: 1 });
      assert.isAbove(selectMs, 0);
      assert.isNotNull(await first);
      reader.close();
    }
  });

  it('reports its errors when it is read', async () => {
    const none = { ...oneHost, names: ['absent'] };
    const few = { ...limits, series: 10 };
    for (const [change, code] of [
      [{ series: none }, 'series_not_found'],
      [{ series: new BigUint64Array(ids.length) }, 'series_not_found'],
      [{ series: new BigUint64Array(1) }, 'series_not_found'],
      [{ series: all, limits: few }, 'query_limit_exceeded'],
      [{ series: oneHost, limits: { ...limits, series: 0 } }, 'query_limit_exceeded'],
    ] as const) {
      const reader = engine.openQuery({ ...groups, ...change });
      assert.strictEqual(await rejectedBy(() => reader.next()), code);
      assert.isNull(await reader.next());
      reader.close();
    }
  });

  it('reads no sample if several series match where one is required', async () => {
    const several = engine.openQuery({ ...rows, isOfOneSeries: true, series: all });
    assert.isNull(await several.next());
    const { seriesSelected, rowsScanned } = several.stats();
    assert.deepEqual(
      { seriesSelected, rowsScanned },
      { seriesSelected: seriesCount, rowsScanned: 0 },
    );
    const one = engine.openQuery({ ...rows, isOfOneSeries: true, series: oneHost });
    assert.deepEqual((await one.next())?.values, Float64Array.of(7));
  });

  it('accepts packed lists, and rejects malformed ones', async () => {
    const odd = ['7', '', 'none', '7', '42', 'é'];
    const encoder = new TextEncoder();
    const bytes = encoder.encode(odd.join(''));
    let size = 0;
    const ends = Uint32Array.from(odd, (text) => (size += encoder.encode(text).length));
    const valuesOf = (values: unknown): NativeSeriesFilter => ({
      ...all,
      terms: [{ key: 'host', values: values as string[], isNegated: false, acceptsMissing: false }],
    });
    for (const values of [odd, { bytes, ends }]) {
      const reader = engine.openQuery({ ...rows, series: valuesOf(values) });
      const found = (await reader.next())?.values.sort();
      assert.deepEqual(found, Float64Array.of(7, 42));
    }
    const names = { bytes: encoder.encode('mno'), ends: Uint32Array.of(1, 1, 3) };
    const named = engine.openQuery({ ...groups, series: { ...oneHost, names } });
    assert.strictEqual((await named.next())?.rowCount, 1);
    const empty = { bytes: new Uint8Array(), ends: new Uint32Array() };
    const none = engine.openQuery({ ...groups, series: valuesOf(empty) });
    assert.strictEqual(await rejectedBy(() => none.next()), 'series_not_found');
    const moved = new Uint8Array(1);
    structuredClone(moved, { transfer: [moved.buffer] });
    for (const wrong of [
      { bytes, ends: ends.subarray(1).reverse() },
      { bytes, ends: ends.subarray(0, -1) },
      { bytes: bytes.subarray(1), ends },
      { bytes, ends: new Uint32Array() },
      { bytes, ends: [...ends] },
      { bytes, ends: new Int32Array(ends) },
      { bytes, ends: Uint32Array.of(4_294_967_295) },
      { bytes: moved, ends: Uint32Array.of(1) },
      { bytes: 'text', ends },
      { bytes },
      {},
      null,
      'text',
    ]) {
      const series = valuesOf(wrong);
      const code = thrownBy(() => engine.openQuery({ ...groups, series }));
      assert.strictEqual(code, 'invalid_argument', inspect(wrong));
    }
  });

  it('is cancelled with its query', async () => {
    for (let round = 0; round < 50; round++) {
      const reader = engine.openQuery({ ...groups, series: all });
      const first = rejectedBy(() => reader.next());
      reader.close();
      assert.oneOf(await first, ['closed', 'resolved']);
      assert.strictEqual(await rejectedBy(() => reader.next()), 'closed');
    }
  });
});
