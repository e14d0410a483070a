import { assert } from 'chai';

import { databaseTime, kFirstTime, kLastTime } from '../../src/common/model/timestamp-unit.js';
import { AppError } from '../../src/common/errors/app-error.js';
import { type Selector } from '../../src/common/model/selector.js';
import { type TimestampUnit } from '../../src/common/model/timestamp-unit.js';
import { textOf } from '../../src/operations/byte-streams.js';
import { type NativeEngineOptions } from '../../src/storage/native/contract.js';
import { openNativeStorage } from '../../src/storage/native-storage.js';
import { type StoredIngestReport, type Storage } from '../../src/storage/storage.js';
import {
  addonPath,
  freshDirectory,
  linesFrom,
  optionsFor,
  rejectedBy,
  removeDirectories,
  thrownBy,
} from '../native/addon.js';

const strict = { precision: 'ms', isLenient: false } as const;
const m: Selector = { name: 'm', labels: null };

function open(changes: Partial<NativeEngineOptions> = {}, directory = freshDirectory()) {
  return openNativeStorage(optionsFor(directory, changes), addonPath);
}

async function ingest(
  storage: Storage,
  text: string | Uint8Array,
  options: { precision: TimestampUnit; isLenient: boolean } = strict,
): Promise<StoredIngestReport> {
  const request = storage.beginIngest(options);
  request.write(Buffer.from(text));
  return request.commit();
}

/** The answer as text, whose integers no double has touched. */
async function read(storage: Storage, selector: Selector): Promise<string> {
  return await textOf(storage.openRange(selector, kFirstTime, kLastTime));
}

describe('the storage over the addon', () => {
  after(removeDirectories);

  describe('errors', () => {
    it('turns what the addon throws into AppErrors of the same code', async () => {
      const storage = await open();
      const thrown = await ingest(storage, 'no record\n').catch((error: unknown) => error);
      assert.instanceOf(thrown, AppError);
      assert.strictEqual(thrown.code, 'invalid_json');
      assert.strictEqual(thrown.status, 400);
      assert.include(thrown.message, 'line 1');
      await storage.close();
    });

    it('gives the code of each refusal', async () => {
      const storage = await open({ maxLineBytes: 200, maxSeriesPerMetric: 2 });
      const line = (metric: string, labels: object, more: object = {}): string =>
        `${JSON.stringify({ metric, labels, ts: 1, value: 2, ...more })}\n`;
      await ingest(storage, line('m', { a: '1' }, { unit: 's' }) + line('m', { a: '2' }));
      const refused = async (text: string, code: string): Promise<void> => {
        assert.strictEqual(await rejectedBy(() => ingest(storage, text)), code);
      };
      await refused('[1]\n', 'invalid_record');
      await refused(line('x'.repeat(300), {}), 'line_too_long');
      await refused(line('m', { a: '1' }, { unit: 'h' }), 'metric_descriptor_conflict');
      await refused(line('m', { a: '3' }), 'series_limit');
      const range = (): unknown => storage.openRange(m, databaseTime(0n), databaseTime(1n));
      assert.strictEqual(thrownBy(range), 'ambiguous_selector');
      await storage.close();
      assert.strictEqual(thrownBy(range), 'closed');
      assert.strictEqual(
        thrownBy(() => storage.stats()),
        'closed',
      );
      assert.strictEqual(await rejectedBy(() => storage.flush()), 'closed');
      assert.strictEqual(await rejectedBy(() => storage.close()), 'resolved');
    });

    it('says why a directory cannot be opened', async () => {
      const directory = freshDirectory();
      const storage = await open({}, directory);
      assert.strictEqual(await rejectedBy(() => open({}, directory)), 'locked');
      await storage.close();
      const other = (): Promise<Storage> => open({ timestampUnit: 'ns' }, directory);
      assert.strictEqual(await rejectedBy(other), 'unit_mismatch');
      assert.strictEqual(await rejectedBy(() => open({}, '/dev/null/x')), 'io');
      const missing = openNativeStorage(optionsFor(directory), '/there/is/none.node');
      const thrown = await missing.catch((error: unknown) => error);
      assert.instanceOf(thrown, AppError);
      assert.strictEqual(thrown.code, 'invalid_configuration');
      assert.include(thrown.message, '/there/is/none.node');
    });
  });

  describe('precision', () => {
    const units: readonly TimestampUnit[] = ['s', 'ms', 'us', 'ns'];
    const perSecond = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n };
    for (const unit of units) {
      it(`converts every precision to a database in ${unit}`, async () => {
        const storage = await open({ timestampUnit: unit });
        for (const precision of units) {
          const seconds = -3n;
          const ts = seconds * perSecond[precision];
          const text = `{"metric":"from_${precision}","labels":{},"ts":${String(ts)},"value":1}\n`;
          await ingest(storage, text, { precision, isLenient: false });
          const stored = String(seconds * perSecond[unit]);
          const answer = await read(storage, { name: `from_${precision}`, labels: [] });
          assert.strictEqual(answer, `[{"ts":${stored},"value":1}]`);
        }
        await storage.close();
      });
    }

    it('refuses a timestamp that does not fit the finer unit', async () => {
      const storage = await open({ timestampUnit: 'ns' });
      const text = `{"metric":"m","labels":{},"ts":${String(2n ** 62n)},"value":1}\n`;
      const call = (): Promise<StoredIngestReport> =>
        ingest(storage, text, { precision: 's', isLenient: false });
      assert.strictEqual(await rejectedBy(call), 'invalid_record');
      await storage.close();
    });
  });

  it('reports the lines that a lenient request skips, the first ten of them', async () => {
    const storage = await open();
    const good = Buffer.from(linesFrom(0, 1)).toString();
    const text = `${good}no record\n[]\n${good.replace(':0,', ':1,')}`;
    const report = await ingest(storage, text, { ...strict, isLenient: true });
    assert.strictEqual(report.ingested, 2);
    assert.strictEqual(report.rejected, 2);
    assert.deepEqual(
      report.errors.map(({ line, code }) => ({ line, code })),
      [
        { line: 2, code: 'invalid_json' },
        { line: 3, code: 'invalid_record' },
      ],
    );
    assert.isTrue(report.errors.every(({ error }) => error.length > 0));
    const many = await ingest(storage, '{}\n'.repeat(25), { ...strict, isLenient: true });
    assert.deepInclude(many, { ingested: 0, rejected: 25 });
    assert.lengthOf(many.errors, 10);
    assert.strictEqual(await read(storage, m), '[{"ts":0,"value":0},{"ts":1,"value":0}]');
    await storage.close();
  });

  it('selects by id, by name and by labels in any order', async () => {
    const storage = await open();
    const labels = '{"b":"2","a":"1"}';
    await ingest(storage, `{"metric":"m","labels":${labels},"ts":5,"value":0.5}\n`);
    const expected = '[{"ts":5,"value":0.5}]';
    assert.strictEqual(await read(storage, m), expected);
    for (const pairs of [
      [
        ['a', '1'],
        ['b', '2'],
      ],
      [
        ['b', '2'],
        ['a', '1'],
      ],
    ] as const) {
      assert.strictEqual(await read(storage, { name: 'm', labels: pairs }), expected);
    }
    assert.strictEqual(await read(storage, { name: 'm', labels: [] }), '[]');
    assert.strictEqual(await read(storage, { seriesId: 1n }), '[]');
    await storage.close();
  });

  it('reads the columns of several series, also of some that are unknown', async () => {
    const storage = await open();
    // XXH64 of m|{"k":"a"} and m|{"k":"b"}, the top 53 bits.
    const [a, b] = [4238383578370379n, 5554095671310675n];
    const big = kLastTime;
    const line = (k: string, ts: bigint, value: number): string =>
      `{"metric":"m","labels":{"k":"${k}"},"ts":${String(ts)},"value":${String(value)}}\n`;
    await ingest(storage, line('a', 7n, 0.5) + line('a', -3n, 1.5) + line('b', big, 2.5));
    const stream = storage.openScan(BigUint64Array.of(b, 5n, a), kFirstTime, big);
    const batch = await stream.next();
    assert.isNotNull(batch);
    assert.deepEqual([...batch.series], [0, 2]);
    assert.deepEqual([...batch.ends], [1, 3]);
    assert.deepEqual([...batch.ts], [big, -3n, 7n]);
    assert.deepEqual([...batch.values], [2.5, 1.5, 0.5]);
    assert.isNull(await stream.next());
    const { selectMs, ...counts } = stream.stats();
    assert.isAbove(selectMs, 0);
    assert.deepEqual(counts, {
      seriesSelected: 3,
      labelCount: 0,
      seriesScanned: 2,
      rowsScanned: 3,
      chunksScanned: 0,
      chunksSkipped: 0,
      bytesRead: 0,
    });
    stream.close();
    assert.strictEqual(await rejectedBy(() => stream.next()), 'closed');
    const empty = storage.openScan(BigUint64Array.of(a), databaseTime(1n), databaseTime(0n));
    assert.isNull(await empty.next());
    await storage.close();
  });

  it('pushes back at the memory limit, and goes on after a flush', async () => {
    const storage = await open({ memoryLimitBytes: 1 << 20 });
    const large = storage.beginIngest(strict);
    const other = storage.beginIngest(strict);
    large.write(linesFrom(0, 100_000));
    const begin = (): unknown => storage.beginIngest(strict);
    assert.strictEqual(thrownBy(begin), 'ingest_backpressure');
    // A request that was refused is over, and has given back its memory.
    assert.strictEqual(
      thrownBy(() => {
        other.write(linesFrom(0, 1));
      }),
      'ingest_backpressure',
    );
    assert.strictEqual(await rejectedBy(async () => other.commit()), 'closed');
    assert.strictEqual(storage.stats()['ingest_rejected_mem_limit_total'], 2);
    assert.strictEqual((await large.commit()).ingested, 100_000);
    await storage.flush();
    assert.strictEqual(storage.stats()['request_bytes'], 0);
    await ingest(storage, linesFrom(100_000, 1));
    const samples = JSON.parse(await read(storage, m)) as unknown[];
    assert.lengthOf(samples, 100_001);
    assert.deepEqual(storage.degradedReasons(), []);
    await storage.close();
  });

  it('counts the integers that no double equals, and stores the nearest', async () => {
    const storage = await open();
    const line = (ts: number, value: string): string =>
      `{"metric":"m","ts":${String(ts)},"value":${value}}\n`;
    await ingest(storage, line(1, '9007199254740993') + line(2, '9007199254740992'));
    await ingest(storage, line(3, '9007199254740995') + line(4, '0.1'));
    assert.strictEqual(storage.stats()['ingest_inexact_total'], 2);
    const samples = JSON.parse(await read(storage, m)) as { value: number }[];
    const nearest = [9007199254740992, 9007199254740992, 9007199254740996, 0.1];
    assert.deepEqual(
      samples.map(({ value }) => value),
      nearest,
    );
    await storage.close();
  });

  it('takes other limits while it is open, for requests that begin afterwards', async () => {
    const options = optionsFor(freshDirectory());
    const storage = await openNativeStorage(options, addonPath);
    const line = Buffer.from(`{"metric":"m","ts":1,"value":1,"note":"${'x'.repeat(100)}"}\n`);
    const begun = storage.beginIngest(strict);
    storage.configure({
      ...options,
      maxLineBytes: 100,
      maxBodyBytes: 4096,
      maxFutureSkew: databaseTime(0n),
    });
    begun.write(line);
    assert.strictEqual((await begun.commit()).ingested, 1);
    const narrow = storage.beginIngest(strict);
    assert.strictEqual(
      thrownBy(() => {
        narrow.write(line);
      }),
      'line_too_long',
    );
    const future = `{"metric":"m","ts":${String(Date.now() + 60_000)},"value":1}\n`;
    assert.strictEqual(await rejectedBy(() => ingest(storage, future)), 'invalid_record');
    // Memory counts at once, also for requests that have begun.
    const waiting = storage.beginIngest(strict);
    storage.configure({ ...options, memoryLimitBytes: 1 });
    assert.strictEqual(
      thrownBy(() => {
        waiting.write(line);
      }),
      'ingest_backpressure',
    );
    storage.configure(options);
    assert.strictEqual((await ingest(storage, future)).ingested, 1);
    await storage.close();
    assert.strictEqual(
      thrownBy(() => {
        storage.configure(options);
      }),
      'closed',
    );
  });
});
