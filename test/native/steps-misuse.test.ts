import { assert } from 'chai';

import { nativeNames } from '../../src/storage/native/names.js';
import {
  nativePrintFigures,
  nativeStepFigures,
  nativeStepLimits,
} from '../../src/storage/native/steps-contract.js';

import { duringSuite, store, thrownBy } from './addon.js';

import type { NativeEngine } from '../../src/storage/native/contract.js';
import type { NativeStepQuery } from '../../src/storage/native/steps-contract.js';

const named = (name: string, values: readonly string[] = []): NativeStepQuery => ({
  of: {
    ...{ namePrefix: null, names: [name], isAny: false },
    terms: values.map((value) => ({
      ...{ key: 'k', values: [value], isNegated: false, acceptsMissing: false },
    })),
  },
  ...{ args: [], keys: [] },
});

const figures = [...nativeStepLimits, ...nativeStepFigures, ...nativePrintFigures] as const;
type Figure = (typeof figures)[number];

/** One step over the stored samples. */
const asked: Readonly<Record<Figure, number>> = {
  ...{ series: Infinity, samples: Infinity, samplesBefore: 0 },
  ...{ cells: Infinity, cellsBefore: 0, timeoutMs: Infinity },
  ...{ start: 10, step: 1, count: 1, window: 100, offset: 0 },
  ...{ fn: nativeNames.stepFunctions.indexOf('last'), fold: NaN, isBy: 0, kept: NaN, than: NaN },
  ...{ rowCount: NaN, rowStart: NaN, rowStep: NaN, rowSteps: NaN },
  ...{ isInstant: 0, hidesMetadata: 0 },
};
const numbersOf = (changes: Partial<Record<Figure, number>> = {}): Float64Array =>
  Float64Array.from(figures, (name) => changes[name] ?? asked[name]);

/** The figures of one opened query. */
const openedBy = (changes: Partial<Record<Figure, number>> = {}): Float64Array =>
  numbersOf(changes).subarray(0, -nativePrintFigures.length);

const kRoom = 4096;

function roomWith(numbers: Float64Array): Uint8Array {
  const room = new Uint8Array(kRoom);
  room.set(new Uint8Array(numbers.buffer));
  return room;
}

describe('invalid step queries', () => {
  let engine: NativeEngine;
  duringSuite(async (opened) => {
    engine = opened;
    await store(engine, '{"metric":"m","ts":1,"value":7}');
  });

  const answered = (changes: Partial<Record<Figure, number>>): unknown =>
    engine.openAnswer(named('m'), roomWith(numbersOf(changes)));

  it('are answered if corrected', () => {
    assert.isNumber(answered({}));
    const [table] = engine.openQuery([named('m')], openedBy());
    if (table === undefined || !('rowCount' in table)) throw new Error('it is short');
    assert.deepEqual([...table.values], [7]);
  });

  it('are rejected for numbers out of range', () => {
    const wrong: readonly (readonly [Figure, number])[] = [
      ...(['start', 'step', 'window', 'offset'] as const).flatMap((name) =>
        [0.5, NaN, Infinity, 2 ** 60].map((number) => [name, number] as const),
      ),
      ...(['series', 'cells', 'timeoutMs', 'count'] as const).flatMap((name) =>
        [-1, NaN].map((number) => [name, number] as const),
      ),
      ...(['fn', 'fold', 'kept'] as const).flatMap((name) =>
        [-1, 0.5, 1e9, Infinity].map((number) => [name, number] as const),
      ),
      ...(['isBy', 'isInstant', 'hidesMetadata'] as const).flatMap((name) =>
        [2, -1, NaN].map((number) => [name, number] as const),
      ),
      ...([-1, Infinity, 2] as const).map((number) => ['rowCount', number] as const),
    ];
    for (const [name, number] of wrong) {
      const code = thrownBy(() => answered({ [name]: number }));
      assert.strictEqual(code, 'invalid_argument', `${name} ${String(number)}`);
    }
  });

  it('are rejected for too few or too many elements', () => {
    const opened = (numbers: unknown, queries: unknown = [named('m')]): string =>
      thrownBy(() => engine.openQuery(queries as NativeStepQuery[], numbers as Float64Array));
    const right = openedBy();
    for (const size of [0, 1, 6, right.length - 1]) {
      assert.strictEqual(opened(right.subarray(0, size)), 'invalid_argument', String(size));
    }
    assert.strictEqual(opened(numbersOf()), 'invalid_argument');
    assert.strictEqual(opened(Float32Array.from(right)), 'invalid_argument');
    assert.strictEqual(opened([...right]), 'invalid_argument');
    for (const query of [null, 'm', 7, undefined]) {
      assert.strictEqual(opened(right, [query]), 'invalid_argument');
    }
    const none = engine.openQuery([], right.subarray(0, nativeStepLimits.length));
    assert.deepEqual(none, []);
  });

  it('are rejected without objects or room for the result', () => {
    const answer = (query: unknown, room: unknown): string =>
      thrownBy(() => engine.openAnswer(query as NativeStepQuery, room as Uint8Array));
    const room = roomWith(numbersOf());
    for (const query of [null, 'm', undefined]) {
      assert.strictEqual(answer(query, room), 'invalid_argument');
    }
    const shared = new Uint8Array(new SharedArrayBuffer(kRoom));
    for (const one of [undefined, null, room.subarray(0, 100), shared, new ArrayBuffer(kRoom)]) {
      assert.strictEqual(answer(named('m'), one), 'invalid_argument');
    }
    const aside = new Uint8Array(kRoom + 3).subarray(3);
    aside.set(room);
    assert.isNumber(engine.openAnswer(named('m'), aside));
  });

  it('may take their memory away while they are read', () => {
    const leaving = (memory: ArrayBufferLike): NativeStepQuery => ({
      get of() {
        structuredClone(memory, { transfer: [memory as ArrayBuffer] });
        return named('m').of;
      },
      ...{ args: [], keys: [] },
    });
    const numbers = new Float64Array([...openedBy(), ...openedBy().subarray(6)]);
    const queries = [leaving(numbers.buffer), named('m')];
    assert.lengthOf(engine.openQuery(queries, numbers), 2);
    const room = roomWith(numbersOf());
    const code = thrownBy(() => engine.openAnswer(leaving(room.buffer), room));
    assert.strictEqual(code, 'invalid_argument');
  });

  it('have texts of any length, and of any characters', async () => {
    const texts = [250, 251, 252, 253, 254, 255, 256, 257, 300].flatMap((size) =>
      ['é', '€', '😀', '\0', 'a'].flatMap((last) => [
        'a'.repeat(size) + last,
        'a'.repeat(size - 1) + last,
      ]),
    );
    const lines = [...new Set(texts)].map((k) =>
      JSON.stringify({ metric: 'long', labels: { k }, ts: 1, value: 1 }),
    );
    await store(engine, lines.join('\n'));
    for (const text of texts) {
      const [table] = engine.openQuery([named('long', [text])], openedBy());
      if (table === undefined || !('rowCount' in table)) throw new Error('it is short');
      assert.strictEqual(table.rowCount, 1, text.slice(-4));
    }
  });
});
