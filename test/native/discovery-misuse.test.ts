/** openAnswer with arguments of wrong types and with used-up handles. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { type NativeEngine } from '../../src/storage/native/contract.js';
import {
  type NativeDiscovery,
  type NativeLabelQuestion,
  type NativeRemoteRead,
} from '../../src/storage/native/filter-contract.js';

import {
  addon,
  commit,
  freshDirectory,
  optionsFor,
  rejectedBy,
  removeDirectories,
  strict,
  thrownBy,
  wrongValues,
} from './addon.js';

const term = { key: 'k', values: ['v'], isNegated: false, acceptsMissing: false };
const filter = { namePrefix: null, names: ['m'], terms: [term], isAny: false };
const question: NativeDiscovery = {
  answer: 'series',
  filter,
  labelKey: '',
  valuePrefix: '',
  limit: Infinity,
  inactiveBefore: null,
};

/** Invalid changes, each to one part of the request. */
const wrong: readonly object[] = [
  { answer: 'nothing' },
  { answer: 5 },
  { filter: null },
  { filter: { ...filter, names: 'm' } },
  { filter: { ...filter, names: [1] } },
  { filter: { ...filter, names: undefined } },
  { filter: { ...filter, isAny: 1 } },
  { filter: { ...filter, terms: {} } },
  { filter: { ...filter, terms: [null] } },
  { filter: { ...filter, terms: [{ ...term, key: 1 }] } },
  { filter: { ...filter, terms: [{ ...term, values: 'v' }] } },
  { filter: { ...filter, terms: [{ ...term, values: [Symbol('s')] }] } },
  { filter: { ...filter, terms: [{ ...term, isNegated: null }] } },
  { filter: { ...filter, terms: [{ ...term, acceptsMissing: undefined }] } },
  { labelKey: null },
  { valuePrefix: 1n },
  { limit: -1 },
  { limit: NaN },
  { limit: 1n },
  { inactiveBefore: 1 },
  { inactiveBefore: 2n ** 63n },
  { inactiveBefore: undefined },
];

const query = { filter, start: databaseTime(0n), end: databaseTime(1n) };
const remoteRead: NativeRemoteRead = {
  answer: 'remoteRead',
  queries: [query],
  isStreamed: false,
  isEscaped: false,
  seriesMax: Infinity,
  samplesMax: Infinity,
};
const isBigint = (value: unknown): boolean => typeof value === 'bigint';
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isRightOfRead: Readonly<Record<string, (value: unknown) => boolean>> = {
  // An empty list asks for nothing.
  queries: Array.isArray,
  isStreamed: (value) => typeof value === 'boolean',
  isEscaped: (value) => typeof value === 'boolean',
  seriesMax: isCount,
  samplesMax: isCount,
};
const isRightOfQuery: Readonly<Record<string, (value: unknown) => boolean>> = {
  filter: () => false,
  start: isBigint,
  end: isBigint,
};

describe('misuse of discovery', () => {
  let engine: NativeEngine;
  beforeEach(async () => {
    engine = await addon.openEngine(optionsFor(freshDirectory()));
  });
  afterEach(async () => engine.close());
  after(removeDirectories);

  it('rejects every part of a wrong type', () => {
    for (const change of wrong) {
      const asked = { ...question, ...change };
      assert.strictEqual(
        thrownBy(() => engine.openAnswer(asked)),
        'invalid_argument',
      );
    }
    for (const value of [undefined, null, 1, 'series', []]) {
      assert.strictEqual(
        thrownBy(() => engine.openAnswer(value as unknown as NativeDiscovery)),
        'invalid_argument',
      );
    }
  });

  it('rejects a remote read with any invalid part', () => {
    const refused = (change: object): void => {
      const code = thrownBy(() => engine.openAnswer({ ...remoteRead, ...change }));
      assert.strictEqual(code, 'invalid_argument', inspect(change));
    };
    for (const [key, isRight] of Object.entries(isRightOfRead)) {
      for (const value of wrongValues(isRight)) refused({ [key]: value });
    }
    for (const [key, isRight] of Object.entries(isRightOfQuery)) {
      for (const value of wrongValues(isRight)) {
        refused({ queries: [query, { ...query, [key]: value }] });
      }
    }
    for (const value of wrongValues(() => false)) refused({ queries: [value] });
    for (const change of wrong) {
      if ('filter' in change) refused({ queries: [{ ...query, ...change }] });
    }
    refused({ queries: [{ ...query, end: 2n ** 63n }] });
    for (const isStreamed of [false, true])
      engine.openAnswer({ ...remoteRead, isStreamed }).close();
  });

  it('rejects a label request with a part of a wrong type', () => {
    const labels: NativeLabelQuestion = {
      ...{ answer: 'labels', of: 'sets', key: '', queries: [query] },
      ...{ limit: Infinity, seriesMax: Infinity },
    };
    const refused = (change: object): void => {
      const code = thrownBy(() => engine.openAnswer({ ...labels, ...change }));
      assert.strictEqual(code, 'invalid_argument', inspect(change));
    };
    for (const value of wrongValues(() => false)) refused({ of: value });
    for (const value of wrongValues((one) => typeof one === 'string')) refused({ key: value });
    for (const value of wrongValues(Array.isArray)) refused({ queries: value });
    for (const value of wrongValues(() => false)) refused({ queries: [value] });
    for (const value of wrongValues(isCount)) {
      refused({ limit: value });
      refused({ seriesMax: value });
    }
    engine.openAnswer(labels).close();
  });

  it('runs one next() at a time, and none after close()', async () => {
    // More names than the calling thread looks up itself; fewer would be answered at once.
    const names = Array.from({ length: 5000 }, (_, at) => `m${String(at)}`);
    const reader = engine.openAnswer({ ...question, filter: { ...filter, names } });
    const running = reader.next();
    assert.strictEqual(await rejectedBy(() => reader.next()), 'invalid_argument');
    assert.strictEqual(Buffer.from((await running) ?? new ArrayBuffer(0)).toString(), '[]');
    assert.isNull(await reader.next());
    reader.close();
    reader.close();
    assert.strictEqual(await rejectedBy(() => reader.next()), 'closed');
  });

  it('ends early when it is closed, also by the engine', async () => {
    const lines = Array.from(
      { length: 5000 },
      (_, at) => `{"metric":"m","labels":{"k":"v","n":${String(at)}},"ts":1,"value":1}`,
    );
    const request = engine.beginIngest(strict);
    request.write(Buffer.from(lines.join('\n')));
    await commit(request);
    const closed = engine.openAnswer(question);
    const running = closed.next();
    closed.close();
    // The piece may already be complete.
    await running.catch(() => undefined);
    assert.strictEqual(await rejectedBy(() => closed.next()), 'closed');

    const left = engine.openAnswer(question);
    await left.next();
    await engine.close();
    assert.strictEqual(await rejectedBy(() => left.next()), 'closed');
    assert.strictEqual(
      thrownBy(() => engine.openAnswer(question)),
      'closed',
    );
  });
});
