import { inspect } from 'node:util';

import { assert } from 'chai';

import { duringSuite, ingest, thrownBy } from './addon.js';

import type {
  NativeEngine,
  NativeGroupQuery,
  NativeRowQuery,
  NativeTextQuery,
} from '../../src/storage/native/contract.js';

const series = { namePrefix: null, names: ['m'], terms: [], isAny: false };
const read = {
  series,
  ranges: BigInt64Array.of(0n, 10n),
  limits: { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity },
  filter: [],
  condition: null,
  expressions: null,
};
const groups: NativeGroupQuery = {
  ...read,
  answer: 'groups',
  keyValues: null,
  keyColumns: [],
  keys: [],
  aggregates: [{ name: 'count', quantile: 0, argument: -1 }],
  order: [],
  bucket: null,
};
const rows: NativeRowQuery = {
  ...read,
  answer: 'rows',
  order: [],
  isDescending: false,
  offset: 0,
  limit: Infinity,
  isOfOneSeries: false,
};
const column = { kind: 'place', place: 0, label: '', before: '[' } as const;
const good: NativeTextQuery = {
  of: groups,
  columns: [column],
  rowEnd: ']',
  between: ',',
  isCsv: false,
  order: [],
  offset: 0,
  limit: Infinity,
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isRight: Readonly<Record<string, (value: unknown) => boolean>> = {
  of: (value) => value === undefined,
  columns: Array.isArray,
  order: Array.isArray,
  rowEnd: isText,
  between: isText,
  isCsv: (value) => typeof value === 'boolean',
  offset: (value) => value === 1,
  limit: (value) => value === 1,
};
const isRightInColumn: Readonly<Record<string, (value: unknown) => boolean>> = {
  kind: () => false,
  place: () => false,
  label: isText,
  before: isText,
};
const values = [undefined, null, true, 1, -1, NaN, '', 'x', 1n, Symbol('s'), [], {}, () => 0];

describe('misuse of queries as text', () => {
  let engine: NativeEngine;
  duringSuite(async (opened) => {
    engine = opened;
    await ingest(engine, 0, 10);
  });
  const refused = (change: object): void => {
    const code = thrownBy(() => engine.openQuery({ ...good, ...change }));
    assert.strictEqual(code, 'invalid_argument', inspect(change));
  };

  it('rejects a query with any invalid part', () => {
    for (const value of values) {
      for (const [key, accepts] of Object.entries(isRight)) {
        if (!accepts(value)) refused({ [key]: value });
      }
      for (const [key, accepts] of Object.entries(isRightInColumn)) {
        if (!accepts(value)) refused({ columns: [{ ...column, [key]: value }] });
      }
      refused({ order: [value] });
      refused({ order: [{ place: value, isDescending: false }] });
      if (typeof value !== 'boolean') refused({ order: [{ place: 0, isDescending: value }] });
    }
    for (const place of [1, 4294967295, Infinity, -0.5]) {
      refused({ columns: [{ ...column, place }] });
      refused({ order: [{ place, isDescending: false }] });
    }
  });

  it('rejects columns of the other query kind, and a text of a text', () => {
    refused({ columns: [{ ...column, kind: 'time' }] });
    refused({ of: { answer: 'columns', series: new BigUint64Array(1), ranges: read.ranges } });
    refused({ of: good });
    const cyclic: { of?: object } = {};
    cyclic.of = cyclic;
    refused(cyclic);
    const raw = { of: rows, columns: [{ ...column, kind: 'time' }] };
    refused({ ...raw, columns: good.columns });
    refused({ ...raw, limit: 1 });
    refused({ ...raw, offset: 1 });
    refused({ ...raw, order: [{ place: 0, isDescending: false }] });
  });

  it('rejects lists with any invalid part, and returns them as text only', () => {
    const list = { answer: 'list', series: new BigUint64Array(1), list: 'series', labelKey: '' };
    const ofSeries = { of: list, columns: [{ ...column, kind: 'labels' }] };
    const ofTexts = { of: { ...list, list: 'labelKeys' }, columns: [column] };
    for (const right of [ofSeries, ofTexts]) engine.openQuery({ ...good, ...right } as typeof good);
    for (const value of values) {
      refused({ ...ofSeries, of: { ...list, series: value } });
      refused({ ...ofSeries, of: { ...list, list: value } });
      if (!isText(value)) refused({ ...ofSeries, of: { ...list, labelKey: value } });
    }
    const ids = { namePrefix: null, names: null, terms: [], isAny: false, ids: [1n] };
    refused({ ...ofSeries, of: { ...list, series: ids } });
    for (const kind of ['place', 'time', 'value']) {
      refused({ ...ofSeries, columns: [{ ...column, kind }] });
    }
    refused({ ...ofTexts, columns: [{ ...column, kind: 'metric' }] });
    refused({ ...ofTexts, columns: [{ ...column, place: 1 }] });
    refused({ ...ofTexts, order: [{ place: 0, isDescending: true }] });
    const plain = list as unknown as typeof groups;
    assert.strictEqual(
      thrownBy(() => engine.openQuery(plain)),
      'invalid_argument',
    );
  });

  it('answers a valid query', async () => {
    const reader = engine.openQuery(good);
    const text = new TextEncoder().encode('[10]');
    assert.deepEqual(await reader.next(), {
      text,
      room: 1024,
      rowCount: 1,
      leftOutCount: 0,
      isLast: true,
    });
    assert.isNull(await reader.next());
    const none = engine.openQuery({ ...good, limit: 0 });
    assert.isNull(await none.next());
    const cancelled = engine.openQuery(good);
    cancelled.close();
    const reason = await cancelled.next().then(String, (error: unknown) => error);
    assert.propertyVal(reason, 'code', 'closed');
  });
});
