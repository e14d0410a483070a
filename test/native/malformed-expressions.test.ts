import { inspect } from 'node:util';

import { assert } from 'chai';

import { nativeOps, type NativeExpression } from '../../src/native/expression-contract.js';

import { addon, freshDirectory, ingest, optionsFor, removeDirectories, thrownBy } from './addon.js';

/** `value > 5`, as steps. */
const condition: NativeExpression = {
  steps: Uint32Array.of(1, 0, 0, 0, 3, 0, 0, 0, nativeOps.indexOf('compare'), 0, 1, 4),
  integers: new BigInt64Array(),
  floats: Float64Array.of(5),
  columns: [],
  outputs: Uint32Array.of(2),
};
const malformedConditions: readonly object[] = [
  {},
  { ...condition, steps: condition.steps.subarray(1) },
  { ...condition, steps: Uint32Array.of(99, 0, 0, 0) },
  { ...condition, steps: new Uint32Array(4 * 5000) },
  { ...condition, steps: Array.from(condition.steps) },
  { ...condition, floats: new Float64Array() },
  { ...condition, floats: new Float32Array(1) },
  { ...condition, integers: null },
  { ...condition, outputs: Uint32Array.of(3) },
  { ...condition, outputs: Uint32Array.of(1) },
  { ...condition, outputs: Uint32Array.of(2, 2) },
  { ...condition, outputs: new Uint32Array() },
  { ...condition, columns: [null] },
  { ...condition, columns: [{ values: new Uint8Array(9), nulls: new Uint8Array() }] },
  { ...condition, columns: [{ values: new Int8Array(), nulls: new Uint8Array() }] },
];

describe('malformed expressions', () => {
  after(removeDirectories);

  it('are refused', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    const limits = { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity };
    const query = {
      series: BigUint64Array.of(1n),
      ranges: new BigInt64Array(),
      limits,
      filter: [],
    };
    const how = {
      answer: 'rows',
      expressions: null,
      order: [],
      isDescending: false,
      offset: 0,
      limit: Infinity,
      isOfOneSeries: false,
    } as const;
    const openWith = (one: unknown): string =>
      thrownBy(() =>
        engine.openQuery({ ...query, ...how, condition: one as NativeExpression | null }),
      );
    // Well formed: the next thing that is wrong is the series, which nobody looks for yet.
    assert.strictEqual(openWith(condition), 'returned');
    for (const one of malformedConditions) {
      assert.strictEqual(openWith(one), 'invalid_argument', inspect(one));
    }
    // A sum of booleans, and of what is not there.
    await ingest(engine, 0, 1);
    const all = { namePrefix: null, names: ['m'], terms: [], isAny: false };
    const groups = { answer: 'groups', order: [], bucket: null } as const;
    const plain = { ...groups, keys: [], keyValues: null };
    for (const argument of [0, 1, 0.5, -2, NaN]) {
      const aggregates = [{ name: 'sum', quantile: 0, argument }];
      const asked = { aggregates, condition: null, expressions: condition, ...plain };
      const code = thrownBy(() => engine.openQuery({ ...query, series: all, ...asked }));
      assert.strictEqual(code, 'invalid_argument', String(argument));
    }
    const keyed = { ...groups, aggregates: [], condition: null, expressions: null };
    const keysOf = (keyValues: unknown, place: number) => ({
      ...{ ...query, series: all, ...keyed, keyValues: keyValues as NativeExpression },
      keys: [{ kind: 'expression', place } as const],
    });
    for (const place of [1, 64, -1, NaN, 2 ** 32]) {
      const code = thrownBy(() => engine.openQuery(keysOf(condition, place)));
      assert.strictEqual(code, 'invalid_argument', String(place));
    }
    const bucket = { width: 1n, origin: 0n, months: 0, most: 0 };
    const beside = { ...keysOf(condition, 0), bucket };
    const both = { ...beside, keys: [...beside.keys, { kind: 'bucket', label: '' } as const] };
    for (const one of [keysOf(null, 0), { ...keysOf(condition, 0), keys: [] }, beside, both]) {
      assert.strictEqual(
        thrownBy(() => engine.openQuery(one)),
        'invalid_argument',
      );
    }
    await engine.close();
  });
});
