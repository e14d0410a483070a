import { inspect } from 'node:util';

import { assert } from 'chai';

import { nativeNames } from '../../src/storage/native/names.js';

import type { NativeGroupQuery } from '../../src/storage/native/contract.js';
import type {
  NativeExpression,
  NativeSeriesColumn,
} from '../../src/storage/native/expression-contract.js';

import { addon, freshDirectory, ingest, optionsFor, removeDirectories, thrownBy } from './addon.js';

/** `value > 5`, as steps. */
const condition: NativeExpression = {
  steps: Uint32Array.of(1, 0, 0, 0, 3, 0, 0, 0, nativeNames.ops.indexOf('compare'), 0, 1, 4),
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

  const limits = { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity };
  // A query of a series that does not exist.
  const query = {
    ...{ series: BigUint64Array.of(1n), ranges: new BigInt64Array(), limits, filter: [] },
  };
  const all = { namePrefix: null, names: ['m'], terms: [], isAny: false };
  const groups: NativeGroupQuery = {
    ...query,
    ...{ answer: 'groups', order: [], bucket: null, condition: null, expressions: null },
    ...{ keyColumns: [], keyValues: null, keys: [], aggregates: [] },
  };

  it('are rejected', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
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
    // The program is valid; the next error would be the missing series, which is looked up later.
    assert.strictEqual(openWith(condition), 'returned');
    for (const one of malformedConditions) {
      assert.strictEqual(openWith(one), 'invalid_argument', inspect(one));
    }
    // A sum of booleans, and of arguments that do not exist.
    await ingest(engine, 0, 1);
    for (const argument of [0, 1, 0.5, -2, NaN]) {
      const aggregates = [{ name: 'sum', quantile: 0, argument }] as const;
      const asked = { ...groups, aggregates, expressions: condition };
      const code = thrownBy(() => engine.openQuery({ ...asked, series: all }));
      assert.strictEqual(code, 'invalid_argument', String(argument));
    }
    await engine.close();
  });

  it('are rejected as group keys', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    await ingest(engine, 0, 1);
    const refused = (one: object): void => {
      const code = thrownBy(() => engine.openQuery({ ...groups, series: all, ...one }));
      assert.strictEqual(code, 'invalid_argument', inspect(one));
    };
    const keysOf = (place: number) => [{ kind: 'expression', place, texts: null } as const];
    for (const place of [1, 64, -1, NaN, 2 ** 32]) {
      refused({ keyValues: condition, keys: keysOf(place) });
    }
    const texts = { bytes: Buffer.from('ab'), ends: Uint32Array.of(1, 2) };
    const bucket = { width: 1n, origin: 0n, months: 0, most: 0 };
    const ofBucket = { kind: 'bucket', label: '' } as const;
    refused({ keys: keysOf(0) });
    refused({ keyValues: condition });
    refused({ keyValues: condition, keys: keysOf(0), bucket });
    refused({ keyValues: condition, keys: [...keysOf(0), ofBucket], bucket });
    // A boolean cannot choose among texts.
    refused({ keyValues: condition, keys: [{ kind: 'expression', place: 0, texts }] });
    refused({ keys: [{ kind: 'column', place: 0 }] });
    await engine.close();
  });

  it('are rejected as key columns', async () => {
    const engine = await addon.openEngine(optionsFor(freshDirectory()));
    const codeOf = (
      values: NativeSeriesColumn['values'],
      nulls: readonly number[],
      ends: readonly number[],
    ): string => {
      const texts = { bytes: Buffer.from('ab'), ends: Uint32Array.from(ends) };
      const column = { values, nulls: Uint8Array.from(nulls), texts };
      const keys = [{ kind: 'column', place: 0 } as const];
      return thrownBy(() => engine.openQuery({ ...groups, keys, keyColumns: [column] }));
    };
    const one = BigInt64Array.of(1n);
    // The program is valid; the next error would be the missing series, which is looked up later.
    assert.strictEqual(codeOf(one, [0], [1, 2]), 'returned');
    assert.strictEqual(codeOf(one, [1], []), 'returned');
    for (const code of [
      codeOf(BigInt64Array.of(2n), [0], [1, 2]),
      codeOf(BigInt64Array.of(-1n), [0], [1, 2]),
      codeOf(one, [0], [1, 3]),
      codeOf(one, [0], [2, 1]),
      codeOf(one, [0], []),
      codeOf(one, [], [1, 2]),
      codeOf(BigInt64Array.of(0n, 0n), [0, 0], [1, 2]),
      codeOf(Float64Array.of(0), [], [1, 2]),
      codeOf(Uint8Array.of(0), [], [1, 2]),
    ]) {
      assert.strictEqual(code, 'invalid_argument');
    }
    await engine.close();
  });
});
