import { inspect } from 'node:util';

import { assert } from 'chai';

import {
  type NativeEngine,
  type NativeEngineOptions,
  type NativeGroupQuery,
  type NativeRowQuery,
  type NativeSelector,
} from '../../src/storage/native/contract.js';
import { type NativeIngestOptions } from '../../src/storage/native/ingest-contract.js';

import {
  addon,
  commit,
  freshDirectory,
  ingest,
  linesFrom,
  openAll,
  openRange,
  optionsFor,
  readAll,
  rejectedBy,
  removeDirectories,
  strict,
  thrownBy,
  wrongValues,
} from './addon.js';

const columnsOf = (series: BigUint64Array) =>
  ({ answer: 'columns', series, ranges: BigInt64Array.of(0n, 1n) }) as const;
const noLimits = { series: Infinity, samples: Infinity, rows: Infinity, timeoutMs: Infinity };
const asked = { limits: noLimits, filter: [], condition: null, expressions: null, order: [] };
const groups: NativeGroupQuery = {
  answer: 'groups',
  series: new BigUint64Array(),
  ranges: new BigInt64Array(),
  ...asked,
  ...{ keyValues: null, keyColumns: [], keys: [] },
  aggregates: [{ name: 'count', quantile: 0, argument: -1 }],
  bucket: null,
};
const rows: NativeRowQuery = {
  answer: 'rows',
  series: new BigUint64Array(),
  ranges: new BigInt64Array(),
  ...asked,
  isDescending: false,
  offset: 0,
  limit: Infinity,
  isOfOneSeries: false,
};

// A removal from a series that does not exist.
const removal = {
  change: 'removal',
  series: BigUint64Array.of(1n),
  ranges: BigInt64Array.of(0n, 1n),
  seriesMax: Infinity,
} as const;

const longEnough = 24_000; // Enough samples for a reader to use its own thread.

describe('misuse of the addon', () => {
  let engine: NativeEngine;
  beforeEach(async () => {
    engine = await addon.openEngine(optionsFor(freshDirectory()));
  });
  afterEach(async () => engine.close());
  after(removeDirectories);

  describe('finished handles', () => {
    it('refuses every method of a closed engine', async () => {
      await engine.close();
      assert.strictEqual(
        thrownBy(() => engine.beginIngest(strict)),
        'closed',
      );
      assert.strictEqual(
        thrownBy(() => openAll(engine)),
        'closed',
      );
      assert.strictEqual(
        thrownBy(() => engine.openQuery(columnsOf(new BigUint64Array(1)))),
        'closed',
      );
      assert.strictEqual(
        thrownBy(() => engine.stats()),
        'closed',
      );
      assert.strictEqual(await rejectedBy(() => engine.change(removal)), 'closed');
      assert.strictEqual(await rejectedBy(() => engine.maintain('flush')), 'closed');
      assert.strictEqual(await rejectedBy(() => engine.close()), 'resolved');
    });

    it('rejects requests and readers of a closed engine', async () => {
      const request = engine.beginIngest(strict);
      request.write(linesFrom(0, 10));
      const reader = openAll(engine);
      await engine.close();
      assert.strictEqual(
        thrownBy(() => {
          request.write(linesFrom(0, 1));
        }),
        'closed',
      );
      assert.strictEqual(await rejectedBy(() => commit(request)), 'closed');
      assert.strictEqual(await rejectedBy(() => reader.next()), 'closed');
      request.abort();
      reader.close();
    });

    const endings: Record<string, (of: ReturnType<NativeEngine['beginIngest']>) => unknown> = {
      committed: (request) => commit(request),
      aborted: (request) => {
        request.abort();
      },
      failed: (request) =>
        thrownBy(() => {
          request.write(Buffer.from('no record\n'));
        }),
    };
    for (const [state, end] of Object.entries(endings)) {
      it(`refuses every method of a request that is ${state}`, async () => {
        const request = engine.beginIngest(strict);
        request.write(linesFrom(0, 10));
        await end(request);
        assert.strictEqual(
          thrownBy(() => {
            request.write(linesFrom(0, 1));
          }),
          'closed',
        );
        assert.strictEqual(await rejectedBy(() => commit(request)), 'closed');
        request.abort();
        request.abort();
        assert.lengthOf(await readAll(openAll(engine)), state === 'committed' ? 10 : 0);
        assert.strictEqual(engine.stats().counts['request_bytes'], 0);
      });
    }

    it('refuses next() of a closed reader, and null stays null', async () => {
      const reader = openAll(engine);
      assert.deepEqual(await readAll(reader), []);
      assert.isNull(await reader.next());
      reader.close();
      reader.close();
      assert.strictEqual(await rejectedBy(() => reader.next()), 'closed');
    });

    it('refuses methods of handles that were made with new', async () => {
      const request = engine.beginIngest(strict);
      const reader = openAll(engine);
      const made = [engine, request, reader].map(
        (handle) => Reflect.construct(handle.constructor, []) as unknown,
      ) as [typeof engine, typeof request, typeof reader];
      assert.strictEqual(
        thrownBy(() => made[0].stats()),
        'closed',
      );
      assert.strictEqual(await rejectedBy(() => made[0].close()), 'resolved');
      assert.strictEqual(await rejectedBy(() => commit(made[1])), 'closed');
      made[1].abort();
      assert.strictEqual(await rejectedBy(() => made[2].next()), 'closed');
      made[2].close();
    });

    it('refuses a handle of another class as `this`', () => {
      const write = Reflect.get(engine.beginIngest(strict), 'write') as () => unknown;
      for (const other of [engine, openAll(engine), {}, undefined]) {
        const thrown = thrownBy(() => Reflect.apply(write, other, []));
        assert.include(thrown, 'TypeError');
      }
    });
  });

  describe('arguments', () => {
    it('refuses options of an engine that are of another type', async () => {
      const good = optionsFor(freshDirectory());
      const isObject = (value: unknown): boolean => value instanceof Object;
      for (const options of wrongValues<NativeEngineOptions>(isObject)) {
        const code = await rejectedBy(() => addon.openEngine(options));
        assert.strictEqual(code, 'invalid_argument', inspect(options));
      }
      for (const [key, value] of Object.entries(good)) {
        const isRight = (other: unknown): boolean =>
          typeof other === typeof value && !Number.isNaN(other) && other !== -1 && key !== 'fsync';
        for (const wrong of wrongValues(isRight)) {
          const options = { ...good, [key]: wrong };
          const code = await rejectedBy(() => addon.openEngine(options));
          assert.strictEqual(code, 'invalid_argument', `${key}: ${inspect(wrong)}`);
        }
      }
    });

    it('refuses wrong options of a request', () => {
      const refused = (options: unknown): void => {
        const code = thrownBy(() => engine.beginIngest(options as NativeIngestOptions));
        assert.strictEqual(code, 'invalid_argument', inspect(options));
      };
      for (const value of wrongValues(() => false)) refused(value);
      for (const precision of wrongValues(() => false)) refused({ ...strict, precision });
      for (const isLenient of wrongValues((value) => typeof value === 'boolean')) {
        refused({ ...strict, isLenient });
      }
    });

    it('rejects values that are not bytes, and the request continues', async () => {
      const request = engine.beginIngest(strict);
      request.write(linesFrom(0, 1));
      const wrong = [
        ...wrongValues(() => false),
        new ArrayBuffer(8),
        new DataView(new ArrayBuffer(8)),
        new Uint8Array(new SharedArrayBuffer(8)),
      ];
      for (const value of wrong) {
        const code = thrownBy(() => {
          request.write(value as Uint8Array);
        });
        assert.strictEqual(code, 'invalid_argument', inspect(value));
      }
      request.write(linesFrom(1, 1));
      assert.strictEqual((await commit(request)).ingested, 2);
    });

    it('rejects a query with any invalid part', () => {
      const refused = (query: object): void => {
        const code = thrownBy(() => engine.openQuery(query as typeof groups));
        assert.strictEqual(code, 'invalid_argument', inspect(query));
      };
      for (const value of wrongValues<object>(() => false)) refused(value);
      const lists = ['filter', 'keys', 'keyColumns', 'aggregates', 'order'];
      for (const query of [groups, rows]) {
        for (const key of Object.keys(query).filter((one) => one !== 'bucket')) {
          for (const wrong of wrongValues(() => false)) {
            const isRight =
              (Array.isArray(wrong) && lists.includes(key)) ||
              (['isDescending', 'isOfOneSeries'].includes(key) && typeof wrong === 'boolean') ||
              (['condition', 'expressions', 'keyValues'].includes(key) && wrong === null) ||
              (['offset', 'limit'].includes(key) && wrong === 1);
            if (!isRight) refused({ ...query, [key]: wrong });
          }
        }
        refused({ ...query, ranges: BigInt64Array.of(1n) });
        refused({ ...query, series: new BigInt64Array(1) });
        refused({ ...query, series: new BigUint64Array(new SharedArrayBuffer(8)) });
        refused({ ...query, limits: { ...groups.limits, rows: -1 } });
        refused({ ...query, limits: { ...groups.limits, samples: NaN } });
        refused({ ...query, filter: [{ op: 'and', constant: 0 }] });
        refused({ ...query, filter: [{ op: '~', constant: 0 }] });
        refused({ ...query, filter: [{ op: '<', constant: NaN }] });
      }
      refused({ ...groups, aggregates: [{ name: 'mode', quantile: 0, argument: -1 }] });
      for (const kind of ['label', 'column']) refused({ ...groups, keys: [{ kind }] });
      refused({ ...groups, order: ['a'] });
      refused({ ...groups, bucket: 5 });
      for (const wrong of [{ width: 1 }, { most: Infinity }, { months: 0.5 }, { months: 1e7 }]) {
        refused({ ...groups, bucket: { width: 1n, origin: 0n, months: 0, most: 0, ...wrong } });
      }
    });

    it('rejects invalid plans, and two concurrent calls of next()', async () => {
      await ingest(engine, 0, longEnough);
      const filter = { namePrefix: null, names: ['m'], terms: [], isAny: false };
      const good = { ...groups, series: filter, ranges: BigInt64Array.of(0n, 10n) };
      const refused = (change: object): void => {
        const code = thrownBy(() => engine.openQuery({ ...good, ...change }));
        assert.strictEqual(code, 'invalid_argument', inspect(change));
      };
      refused({ bucket: { width: 1n, origin: 0n, months: 0, most: 0 } });
      refused({ keys: [{ kind: 'bucket', label: '' }] });
      refused({ order: [0] });
      refused({ ranges: BigInt64Array.of(2n, 1n) });
      refused({ ranges: BigInt64Array.of(1n, 2n, 2n, 3n) });
      refused({ aggregates: [{ name: 'percentile', quantile: 2 }] });
      const table = await engine.openQuery(good).next();
      assert.deepEqual(table, { rowCount: 1, columns: [BigInt64Array.of(11n)] });
      const reader = engine.openQuery({
        ...columnsOf(new BigUint64Array(1)),
        ranges: BigInt64Array.of(0n, 1n),
      });
      const first = reader.next();
      assert.strictEqual(await rejectedBy(() => reader.next()), 'invalid_argument');
      assert.strictEqual(
        thrownBy(() => reader.stats()),
        'invalid_argument',
      );
      assert.isNull(await first);
      reader.close();
      reader.close();
      assert.strictEqual(reader.stats().rowsScanned, 0);
    });

    it('reads a detached buffer as empty', async () => {
      const request = engine.beginIngest(strict);
      const lines = linesFrom(0, 5);
      request.write(lines.subarray(0, 20));
      const rest = lines.slice(20);
      const moved = structuredClone(rest, { transfer: [rest.buffer] });
      request.write(rest);
      request.write(moved);
      // The lent buffer is no longer needed.
      structuredClone(moved, { transfer: [moved.buffer] });
      assert.strictEqual((await commit(request)).ingested, 5);
      assert.lengthOf(await readAll(openAll(engine)), 5);
    });

    it('returns statistics as copies that the caller may change', () => {
      const { stages, blocks, degraded } = engine.stats();
      assert.isNull(blocks);
      assert.deepEqual(degraded, []);
      assert.isTrue(stages.every((one) => one >= 0));
      stages.fill(-1);
      const again = engine.stats().stages;
      assert.lengthOf(again, stages.length);
      assert.isTrue(again.every((one) => one >= 0));
    });

    it('rejects unknown tasks, and invalid targets of tasks', async () => {
      const maintain = engine.maintain.bind(engine) as (...args: unknown[]) => Promise<unknown>;
      for (const task of wrongValues(() => false)) {
        assert.strictEqual(await rejectedBy(() => maintain(task, 'a')), 'invalid_argument');
      }
      for (const name of wrongValues((value) => typeof value === 'string')) {
        for (const task of ['createSnapshot', 'deleteSnapshot']) {
          assert.strictEqual(await rejectedBy(() => maintain(task, name)), 'invalid_argument');
        }
      }
      assert.strictEqual(await rejectedBy(() => maintain('flush')), 'resolved');
    });

    it('refuses wrong selectors and ranges', () => {
      const good: NativeSelector = { name: 'm', labels: null };
      const refused = (selector: unknown, start: unknown, end: unknown): void => {
        const code = thrownBy(() =>
          openRange(engine, selector as NativeSelector, start as bigint, end as bigint),
        );
        assert.strictEqual(
          code,
          'invalid_argument',
          [selector, start, end].map((value) => inspect(value)).join(', '),
        );
      };
      for (const value of wrongValues(() => false)) refused(value, 0n, 1n);
      for (const name of wrongValues((value) => typeof value === 'string')) {
        refused({ name, labels: null }, 0n, 1n);
      }
      const isLabels = (value: unknown): boolean => value === null || Array.isArray(value);
      for (const labels of wrongValues(isLabels)) refused({ ...good, labels }, 0n, 1n);
      for (const labels of [['a'], ['a', 1], [1, 'a'], ['a', null], new Array<string>(2)]) {
        refused({ ...good, labels }, 0n, 1n);
      }
      for (const seriesId of [-1n, 2n ** 64n]) refused({ seriesId }, 0n, 1n);
      const isBigint = (value: unknown): boolean => typeof value === 'bigint';
      for (const wrong of [...wrongValues(isBigint), 2n ** 63n, -(2n ** 63n) - 1n]) {
        refused(good, wrong, 1n);
        refused(good, 0n, wrong);
      }
    });

    it('rejects a change with any invalid part, and changes nothing', async () => {
      const request = engine.beginIngest(strict);
      request.write(Buffer.from('{"metric":"m","ts":1,"value":1}\n'));
      await commit(request);
      const refused = async (change: unknown): Promise<void> => {
        const code = await rejectedBy(() => engine.change(change as typeof removal));
        assert.strictEqual(code, 'invalid_argument', inspect(change));
      };
      for (const value of wrongValues(() => false)) await refused(value);
      for (const change of wrongValues(() => false)) await refused({ ...removal, change });
      const isRanges = (value: unknown): boolean => value instanceof BigInt64Array;
      for (const ranges of wrongValues(isRanges)) await refused({ ...removal, ranges });
      await refused({ ...removal, ranges: BigInt64Array.of(0n) });
      await refused({ ...removal, ranges: BigInt64Array.of(0n, 1n, 4n, 3n) });
      const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
      for (const seriesMax of wrongValues(isCount)) await refused({ ...removal, seriesMax });
      const isIds = (value: unknown): boolean => value instanceof BigUint64Array;
      for (const series of wrongValues(isIds)) await refused({ ...removal, series });
      assert.strictEqual(await engine.change(removal), '0');
      assert.strictEqual(engine.stats().counts['memtable_samples'], 1);
    });

    it("rethrows the exception of an argument's getter", async () => {
      const trap = (key: string): object =>
        Object.defineProperty({ ...optionsFor(freshDirectory()), ...strict }, key, {
          get: () => {
            throw new RangeError('from the getter');
          },
        });
      const expected = 'RangeError: from the getter';
      const begin = (): unknown => engine.beginIngest(trap('precision') as NativeIngestOptions);
      assert.strictEqual(thrownBy(begin), expected);
      for (const key of ['seriesId', 'name']) {
        const selector = trap(key) as NativeSelector;
        assert.strictEqual(
          thrownBy(() => openRange(engine, selector, 0n, 1n)),
          expected,
        );
      }
      const labels = Object.defineProperty(['a', 'b'], 1, {
        get: () => {
          throw new RangeError('from the getter');
        },
      });
      assert.strictEqual(
        thrownBy(() => openRange(engine, { name: 'm', labels }, 0n, 1n)),
        expected,
      );
      for (const key of Object.keys(optionsFor(''))) {
        const options = trap(key) as NativeEngineOptions;
        assert.strictEqual(await rejectedBy(() => addon.openEngine(options)), expected, key);
      }
    });
  });

  describe('calls while others run', () => {
    it('refuses next() while one runs', async () => {
      await ingest(engine, 0, longEnough);
      const reader = openAll(engine);
      const first = reader.next();
      assert.strictEqual(await rejectedBy(() => reader.next()), 'invalid_argument');
      assert.isAbove((await first)?.byteLength ?? 0, 0);
      assert.isAbove((await reader.next())?.byteLength ?? 0, 0);
      reader.close();
    });

    it('settles a next() whose reader is closed', async () => {
      await ingest(engine, 0, longEnough);
      const reader = openAll(engine);
      const first = rejectedBy(() => reader.next());
      reader.close();
      assert.include(['closed', 'resolved'], await first);
      assert.strictEqual(await rejectedBy(() => reader.next()), 'closed');
    });

    it('settles all running work when the engine is closed twice', async () => {
      await ingest(engine, 0, longEnough);
      const requests = Array.from({ length: 50 }, (_, index) => {
        const request = engine.beginIngest(strict);
        request.write(linesFrom(longEnough + index, 1));
        return request;
      });
      const reader = openAll(engine);
      const commits = requests.map((request) => commit(request));
      const others = [engine.maintain('flush'), reader.next(), engine.maintain('flush')].map(
        (promise) => rejectedBy(() => promise),
      );
      await Promise.all([engine.close(), engine.close()]);
      const reports = await Promise.all(commits);
      assert.isTrue(reports.every((report) => report.ingested === 1));
      for (const outcome of await Promise.all(others)) {
        assert.include(['closed', 'resolved'], outcome);
      }
    });

    it('keeps samples acknowledged during close()', async () => {
      const directory = freshDirectory();
      const first = await addon.openEngine(optionsFor(directory));
      const commits = Array.from({ length: 20 }, (_, index) => ingest(first, index, 1));
      await Promise.all([...commits, first.close()]);
      const second = await addon.openEngine(optionsFor(directory));
      assert.lengthOf(await readAll(openAll(second)), 20);
      await second.close();
    });

    it('does not open a directory twice', async () => {
      const directory = freshDirectory();
      const options = optionsFor(directory);
      const first = await addon.openEngine(options);
      assert.strictEqual(await rejectedBy(() => addon.openEngine(options)), 'locked');
      await first.close();
      const again = await addon.openEngine(options);
      await again.close();
      const outcomes = await Promise.allSettled([
        addon.openEngine(options),
        addon.openEngine(options),
      ]);
      const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      assert.lengthOf(opened, 1);
      await opened[0]?.value.close();
    });
  });
});
