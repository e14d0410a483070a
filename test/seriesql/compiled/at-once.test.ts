/** Short queries are answered in the same turn of the event loop. */
import { assert } from 'chai';

import { textOf } from '../../../src/operations/byte-streams.js';
import { defaultQuerySettings, QueryService } from '../../../src/operations/query.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';

import type { CompilerMode } from '../../../src/query/seriesql/execute/query-stats.js';
import type { Storage } from '../../../src/storage/storage.js';

const kSampleCount = 20_000;

describe('the fast path of a repeated query shape', () => {
  let storage: Storage;
  let queries: QueryService;
  let mode: CompilerMode = 'compiled';
  let preparedCount = 0;

  /** The same storage, with a count of prepared queries. */
  const countingOf = (of: Storage): Storage =>
    new Proxy(of, {
      get: (_, name) => {
        if (name === 'prepareTexts') preparedCount += 1;
        const member: unknown = Reflect.get(of, name, of);
        return typeof member === 'function' ? (member.bind(of) as unknown) : member;
      },
    });
  const serviceOf = (): QueryService =>
    new QueryService({
      storage,
      unit: 'ms',
      settings: () => ({ ...defaultQuerySettings, mode }),
      reportMismatch: () => undefined,
      openState: () => Promise.resolve(storage),
    });

  before(async () => {
    storage = countingOf(await openNativeStorage(optionsFor(freshDirectory()), addonPath));
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    const lines = Array.from({ length: kSampleCount }, (_, at) =>
      [1, 2, 3]
        .map((host) => `{"metric":"m","labels":{"host":"h${host}"},"ts":${at},"value":${host}}\n`)
        .join(''),
    );
    request.write(Buffer.from(lines.join('')));
    // Of another, with a long time without samples before the last one.
    const gappy = [...Array(10_000).keys(), 20_000];
    const gapLines = gappy.map((ts) => `{"metric":"g","ts":${ts},"value":7}\n`);
    request.write(Buffer.from(gapLines.join('')));
    await request.commit();
    // A large memtable is never a short read.
    await storage.flush();
  });
  beforeEach(() => {
    mode = 'compiled';
    preparedCount = 0;
    queries = serviceOf();
  });
  after(async () => {
    await storage.close();
    removeDirectories();
  });

  /** The rows, and whether they were available at once. */
  async function ask(
    text: string,
    { of = queries, asOf }: { of?: QueryService; asOf?: string } = {},
  ): Promise<{ isAtOnce: boolean; rows: unknown }> {
    const asked = of.ask(text, { format: 'json', asOf: asOf ?? null });
    const answer = await textOf(await asked.started);
    if (asked.whole !== null) assert.strictEqual(Buffer.from(asked.whole).toString(), answer);
    return { isAtOnce: asked.whole !== null, rows: (JSON.parse(answer) as { rows: unknown }).rows };
  }

  const grouped = (where: string): string =>
    `select time_bucket(5ms, time) as t, max(value) from m where ${where} group by t order by t`;
  const hourOf = (host: number, start: number): string =>
    grouped(`tag.host = 'h${host}' and time >= ${start} and time < ${start + 10}`);
  const rowsOf = (host: number, start: number): readonly (readonly number[])[] => [
    [start, host],
    [start + 5, host],
  ];

  it('answers from the third time on', async () => {
    for (const [round, [host, start]] of (
      [
        [1, 0],
        [2, 50],
        [3, 100],
        [1, 5],
      ] as const
    ).entries()) {
      const { isAtOnce, rows } = await ask(hourOf(host, start));
      assert.deepEqual(rows, rowsOf(host, start));
      assert.strictEqual(isAtOnce, round >= 2, `asked ${round} times before`);
    }
    const raw = (start: number): string =>
      `select time, value from m where tag.host = 'h2' and time >= ${start} and time < ${start + 2}`;
    for (const start of [5, 7, 9]) {
      const { isAtOnce, rows } = await ask(raw(start));
      assert.deepEqual(rows, [
        [start, 2],
        [start + 1, 2],
      ]);
      assert.strictEqual(isAtOnce, start === 9);
    }
  });

  const newest = (metric: string, end: number): string =>
    `select time_bucket(1ms, time) as t, max(value) from ${metric} where time < ${end} group by t order by t desc limit 3`;

  it('answers if the newest buckets are found quickly', async () => {
    for (const end of [15_000, 16_000, 17_000]) {
      const { isAtOnce, rows } = await ask(newest('m', end));
      assert.deepEqual(
        rows,
        [1, 2, 3].map((back) => [end - back, 3]),
      );
      assert.strictEqual(isAtOnce, end === 17_000);
    }
  });

  it('falls back if the newest buckets are far apart', async () => {
    for (const end of [20_001, 20_002, 20_003, 20_004, 20_005]) {
      const { isAtOnce, rows } = await ask(newest('g', end));
      assert.deepEqual(
        rows,
        [20_000, 9999, 9998].map((ts) => [ts, 7]),
      );
      assert.isFalse(isAtOnce);
    }
  });

  it('answers a store with bound labels, with rows of those labels only', async () => {
    const bound = queries.boundTo([['host', 'h2']]);
    const between = (start: number): string => grouped(`time >= ${start} and time < ${start + 10}`);
    for (const start of [0, 5, 10]) {
      const { isAtOnce, rows } = await ask(between(start), { of: bound });
      assert.deepEqual(rows, rowsOf(2, start));
      assert.strictEqual(isAtOnce, start === 10);
    }
  });

  it('counts in the metrics like any query', async () => {
    const before = queries.figures();
    for (let round = 0; round < 5; round++) await ask(hourOf(1, round));
    const after = queries.figures();
    for (const name of ['query_compile_attempts_total', 'query_compile_success_total']) {
      assert.strictEqual((after[name] ?? 0) - (before[name] ?? 0), 5, name);
    }
    const asked = queries.ask(hourOf(1, 10), { format: 'json' });
    assert.deepEqual(asked.figures(), { rows: 2, samples: 10 });
  });

  it('answers after another engine answered the first query', async () => {
    mode = 'legacy';
    await ask(hourOf(1, 0));
    mode = 'compiled';
    for (const start of [0, 5, 10]) {
      const { isAtOnce, rows } = await ask(hourOf(2, start));
      assert.deepEqual(rows, rowsOf(2, start));
      assert.strictEqual(isAtOnce, start === 10);
    }
  });

  it('remembers the shape after many other queries', async () => {
    for (const start of [0, 5, 10]) await ask(hourOf(1, start));
    for (let other = 0; other < 300; other++) {
      await ask(hourOf(2, other).replace('max(value)', `max(value) as of${other}`));
      if (other % 100 === 0) assert.isTrue((await ask(hourOf(1, other))).isAtOnce);
    }
    assert.isTrue((await ask(hourOf(1, 3))).isAtOnce);
  });

  it('is tried less often after misses', async () => {
    const long = `select time, value from m where time >= 0 and time < ${kSampleCount}`;
    for (let round = 0; round < 20; round++) {
      assert.isFalse((await ask(`${long} and tag.host = 'h${1 + (round % 3)}'`)).isAtOnce);
    }
    // After some of those that are short it is so again.
    const short = (end: number): string =>
      `select time, value from m where tag.host = 'h1' and time < ${end}`;
    assert.isFalse((await ask(short(1))).isAtOnce);
    let isAtOnce = false;
    for (let end = 2; end < 66; end++) ({ isAtOnce } = await ask(short(end)));
    assert.isTrue(isAtOnce);
  });

  it('is not prepared for a shape that it never answers', async () => {
    for (let round = 0; round < 4; round++) {
      await ask(hourOf(1, round).replace('max(value)', 'max(value * 2)'));
      await ask(hourOf(1, round).replace('where', 'where value * 2 > 1 and'));
      await ask(hourOf(1, round), { asOf: 'snapshot' });
    }
    assert.strictEqual(preparedCount, 0);
    for (let round = 0; round < 4; round++) await ask(hourOf(1, round));
    assert.strictEqual(preparedCount, 1);
  });
});
