/**
 * Mutated queries to the addon: each is refused with a code, or answered completely, over samples
 * at the ends of time.
 */

import { inspect } from 'node:util';

import { assert } from 'chai';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { isErrorCode } from '../../src/common/errors/catalog.js';
import { nativeNames, type NativeName } from '../../src/storage/native/names.js';
import { addon, freshDirectory, optionsFor, removeDirectories, store } from '../native/addon.js';
import { Random, testSeed } from '../support/random.js';
import { fuzzTimeoutMs, rounds } from './rounds.js';

import type {
  NativeColumnQuery,
  NativeEngine,
  NativeQuestion,
} from '../../src/storage/native/contract.js';

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;
const times = [least, least + 1n, -1n, 0n, 1n, 1000n, 60_000n, 61_000n, most - 1n, most];

function lines(host: string, more: number): string {
  return times
    .map((ts, at) => `{"metric":"m","labels":{"host":"${host}"},"ts":${ts},"value":${at * more}}\n`)
    .join('');
}

/** Samples in a segment, a deletion over some of it, and samples in memory. */
async function openFilled(): Promise<NativeEngine> {
  const engine = await addon.openEngine(optionsFor(freshDirectory()));
  await store(engine, lines('a', 1.5) + lines('b', -1e300));
  await engine.maintain('flush');
  const ids = await engine.openAnswer({ answer: 'seriesIds', filter: all, ...discovery }).next();
  const found = new TextDecoder().decode(ids ?? undefined).match(/\d+/g) ?? [];
  assert.lengthOf(found, 2);
  const series = BigUint64Array.from(found, BigInt);
  const ranges = BigInt64Array.of(0n, 500n);
  await engine.change({ change: 'removal', series, ranges, seriesMax: Infinity });
  await store(engine, lines('c', 1) + '{"metric":"n","ts":5,"value":-0,"kind":"counter"}\n');
  return engine;
}

const step = (op: NativeName<'ops'>, a = 0, b = 0, c = 0) => [
  ...[nativeNames.ops.indexOf(op), a, b, c],
];
const expression = (outputs: readonly number[], ...steps: readonly (readonly number[])[]) => ({
  steps: Uint32Array.from(steps.flat()),
  integers: BigInt64Array.of(1000n, 0n, most),
  floats: Float64Array.of(2.5, 0, -1e300),
  columns: [],
  outputs: Uint32Array.from(outputs),
});
const discovery = {
  ...{ labelKey: 'host', valuePrefix: '', limit: 10 },
  inactiveBefore: databaseTime(0n),
};
const all = { namePrefix: null, names: ['m'], terms: [], isAny: false };
const some = {
  ...all,
  terms: [{ key: 'host', values: ['a', 'c'], isNegated: false, acceptsMissing: true }],
};
const ranges = BigInt64Array.of(least, -1n, 0n, most);
const limits = { series: Infinity, samples: Infinity, rows: 10_000, timeoutMs: 10_000 };
const sampled = { series: all, ranges, limits, filter: [], condition: null, expressions: null };
const groups = {
  ...{ ...sampled, answer: 'groups', series: some, keyValues: null, keyColumns: [] },
  filter: [
    { op: '<', constant: 5 },
    { op: '>=', constant: 7 },
    { op: 'or', constant: 0 },
  ],
  keys: [
    { kind: 'bucket', label: '' },
    { kind: 'label', label: 'host' },
  ],
  expressions: expression([1, 3], step('time'), step('value'), step('float'), step('add', 1, 2)),
  aggregates: ['count', 'sum', 'max', 'last', 'rate', 'integral', 'percentile'].map((name) => ({
    ...{ name, quantile: 0.5, argument: -1 },
  })),
  order: [1, 0],
  bucket: { width: 1000n, origin: 7n, months: 0, most: 0 },
};
const byMonths = {
  ...{ ...groups, filter: [], keys: [{ kind: 'bucket', label: '' }], order: [0] },
  bucket: { width: 1n, origin: 0n, months: 1, most: -3 },
};
const byValues = {
  ...groups,
  ...{ bucket: null, order: [0], expressions: null },
  keyValues: expression([2], step('value'), step('float'), step('compare', 0, 1, 4)),
  keys: [{ kind: 'expression', place: 0, texts: null }],
};
const rows = {
  ...sampled,
  answer: 'rows',
  condition: expression([2], step('value'), step('float', 1), step('compare', 0, 1, 5)),
  expressions: expression([1], step('time'), step('bucket', 0, 0, 1)),
  order: [{ place: 0, isDescending: true }],
  ...{ isDescending: false, offset: 1, limit: 20, isOfOneSeries: false },
};
const list = { answer: 'list', series: all, list: 'labelValues', labelKey: 'host' };
const asText = { rowEnd: ']', between: ',', isCsv: false, order: [], offset: 0, limit: Infinity };
const columnOf = (kind: string, place = 0) => ({ kind, place, label: 'host', before: '[' });
const queries: readonly object[] = [
  { answer: 'columns', series: BigUint64Array.of(1n, 2n), ranges },
  { answer: 'columns', series: all, ranges },
  ...[groups, byMonths, byValues, rows, { ...rows, order: [], isDescending: true }],
  { ...asText, of: groups, columns: [columnOf('place'), columnOf('place', 1)] },
  { ...asText, of: { ...rows, order: [] }, columns: [columnOf('time'), columnOf('labels')] },
  { ...asText, of: list, columns: [columnOf('place')], isCsv: true },
];
const ofA = { name: 'm', labels: ['host', 'a'] };
const windows = { start: 0n, end: most, baselineStart: least, baselineEnd: -1n };
const questions: readonly object[] = [
  ...['seriesIds', 'series', 'metrics', 'health', 'labelValues', 'attributes'].map((answer) => ({
    ...{ answer, filter: some, ...discovery },
  })),
  { answer: 'comparison', selector: ofA, aggregate: 'delta', ...windows },
  { answer: 'comparison', selector: { name: 'n', labels: null }, aggregate: 'avg', ...windows },
  {
    ...{ answer: 'annotations', start: least, end: most, kind: null, metric: null },
    ...{ labels: [], isAnyLabel: false, limit: null },
  },
];

const numbers = [0, 1, 2, 3, 5, 34, 35, 64, -1, 0.5, 2048, 2 ** 31, 2 ** 32 - 1, NaN, Infinity];
const bigints = [0n, 1n, -1n, 999n, 86_400_000n, least, least + 1n, most, most - 1n, 2n ** 64n];
const texts = ['', 'm', 'host', 'a', '\0', 'é', 'count', 'bucket', 'time', 'groups', '='];
const wrong = [Symbol('s'), null, true, {}, [], 'x', 7, 7n, new Uint8Array(3), () => 0];

type Numbers = Uint32Array | Float64Array | Uint8Array;

/** An array of the same kind, with an item changed, some removed, or some doubled. */
function otherItems(array: NodeJS.TypedArray, random: Random): NodeJS.TypedArray {
  const changed = array.slice();
  const at = random.below(changed.length + 1);
  if (random.chance(0.2)) return changed.subarray(at);
  if (at === changed.length) return changed;
  if (changed instanceof BigInt64Array || changed instanceof BigUint64Array) {
    changed[at] = random.pick(bigints);
  } else {
    (changed as Numbers)[at] = random.chance(0.3) ? random.next32() : random.pick(numbers);
  }
  return changed;
}

/** A different value, mostly of the same kind. */
function otherValue(value: unknown, random: Random): unknown {
  if (random.chance(0.08)) return random.pick(wrong);
  if (typeof value === 'number') return random.pick(numbers);
  if (typeof value === 'bigint') return random.pick(bigints);
  if (typeof value === 'string') return random.pick(texts);
  if (typeof value === 'boolean') return !value;
  if (ArrayBuffer.isView(value)) return otherItems(value as NodeJS.TypedArray, random);
  if (Array.isArray(value)) {
    const items: unknown[] = [...(value as unknown[])];
    const at = random.below(items.length + 1);
    if (random.chance(0.3)) items.splice(at, 1);
    else if (random.chance(0.3)) items.splice(at, 0, items[random.below(items.length)]);
    else if (at < items.length) items[at] = otherValue(items[at], random);
    return items;
  }
  return typeof value === 'object' && value !== null ? otherMember(value, random) : value;
}

function otherMember(object: object, random: Random): object {
  const entries = Object.entries(object);
  if (entries.length === 0) return object;
  const [key, value] = random.pick(entries) as [string, unknown];
  return { ...object, [key]: otherValue(value, random) };
}

function mutated(seeds: readonly object[], random: Random): object {
  let object = random.pick(seeds);
  do {
    // Sometimes a member comes from another object of the same kind.
    object = random.chance(0.1)
      ? { ...object, ...Object.fromEntries([random.pick(Object.entries(random.pick(seeds)))]) }
      : otherMember(object, random);
  } while (random.chance(0.3));
  return object;
}

interface Reader {
  next(): Promise<unknown>;
  close(): void;
}

/** The code of the refusal, or `answered`. */
async function readToEnd(open: () => Reader, asked: object): Promise<string> {
  let reader: Reader | undefined;
  try {
    reader = open();
    while ((await reader.next()) !== null);
    return 'answered';
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
    assert.isTrue(isErrorCode(code), `${String(thrown)} for ${inspect(asked, { depth: 6 })}`);
    assert.notInclude(['internal_error', 'storage_corrupt'], code, inspect(asked));
    return String(code);
  } finally {
    reader?.close();
  }
}

describe(`mutated native queries (seed ${testSeed})`, function () {
  this.timeout(fuzzTimeoutMs);
  let engine: NativeEngine;
  before(async () => {
    engine = await openFilled();
  });
  after(async () => {
    await engine.close();
    removeDirectories();
  });

  const openQuery = (query: object) => (): Reader => engine.openQuery(query as NativeColumnQuery);
  const openAnswer = (question: object) => (): Reader =>
    engine.openAnswer(question as NativeQuestion);

  it('are refused with a code, or answered to their end', async () => {
    const random = new Random(testSeed);
    for (const query of queries) {
      assert.strictEqual(
        await readToEnd(openQuery(query), query),
        'answered',
        JSON.stringify(query, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)),
      );
    }
    let answered = 0;
    for (const round of rounds(3000)) {
      const query = mutated(queries, random);
      if ((await readToEnd(openQuery(query), query)) === 'answered') answered += 1;
      assert.isAtLeast(answered * 10 + 200, round);
    }
  });

  it('of discovery, comparisons and annotations too', async () => {
    const random = new Random(testSeed + 1);
    for (const question of questions) {
      assert.strictEqual(await readToEnd(openAnswer(question), question), 'answered');
    }
    for (const round of rounds(1500)) {
      const question = mutated(questions, random);
      await readToEnd(openAnswer(question), { ...question, round });
    }
  });
});
