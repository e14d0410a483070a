import { assert } from 'chai';

import { inMs } from '../support/in-ms.js';
import { LabelTable as Labels } from '../../src/query/promql/labels/label-table.js';
import { rowsInOrder } from '../../src/query/promql/labels/row-order.js';
import { textOf } from '../../src/operations/byte-streams.js';
import { openNativeStorage } from '../../src/storage/native-storage.js';
import { BoundStore } from '../../src/storage/bound-store.js';
import {
  addonPath,
  freshDirectory,
  optionsFor,
  rejectedBy,
  removeDirectories,
  thrownBy,
} from '../native/addon.js';

import type { NativeEngineOptions } from '../../src/storage/native/contract.js';
import type {
  ByteStream,
  StoredLabelTable,
  OpenedSteps,
  SeriesFilter,
  SeriesStore,
  ShortTexts,
  StepAnswer,
  StepLimits,
  StepPrint,
  StepQuery,
  StepTable,
  Storage,
} from '../../src/storage/storage.js';

type Rows = Readonly<Record<string, readonly (number | null)[]>>;

const alone = { rowsPerLook: 256, isTextDue: false };
const noLimits = {
  series: Infinity,
  ...{ samples: Infinity, samplesBefore: 0 },
  ...{ cells: Infinity, cellsBefore: 0 },
  timeoutMs: 60_000,
};
const named = (name: string): SeriesFilter => ({
  namePrefix: null,
  names: [name],
  terms: [],
  isAny: false,
});
const plain = inMs({
  of: named('m'),
  start: 0,
  step: 1000,
  count: 1,
  window: 5000,
  offset: 0,
  fn: 'last',
  args: [],
  fold: null,
  kept: null,
});

function open(changes: Partial<NativeEngineOptions> = {}): Promise<Storage> {
  return openNativeStorage(optionsFor(freshDirectory(), changes), addonPath);
}

async function ingest(storage: Storage, lines: readonly string[]): Promise<void> {
  const request = storage.beginIngest({ precision: 'ms', isLenient: false });
  request.write(Buffer.from(lines.join('')));
  await request.commit();
}

const line = (labels: object, ts: number, value: number, metric = 'm'): string =>
  `${JSON.stringify({ metric, labels, ts, value })}\n`;

/** Two hosts with two cores each, a counter that is read every ten seconds, and one of its own. */
function fleet(): string[] {
  const lines: string[] = [];
  for (let i = 0; i < 100; i += 1) {
    for (const host of ['a', 'b']) {
      for (const core of [0, 1]) {
        const value = i * (core + 1) + (host === 'a' ? 0 : 0.5);
        lines.push(line({ host, core: String(core) }, i * 10_000, value));
      }
    }
  }
  return [...lines, line({ host: '' }, 5000, 7)];
}

function openSteps(
  store: SeriesStore,
  query: StepQuery,
  limits: Partial<StepLimits> = {},
): OpenedSteps {
  const [opened, ...others] = store.openSteps([query], { ...noLimits, ...limits });
  if (opened === undefined || others.length > 0) throw new Error('one query is opened once');
  return opened;
}

async function read(
  store: SeriesStore,
  query: StepQuery,
  limits: Partial<StepLimits> = {},
): Promise<StepTable> {
  const stream = openSteps(store, query, limits);
  if ('rowCount' in stream) return stream;
  const table = await stream.next();
  assert.isNull(await stream.next());
  stream.close();
  if (table === null) throw new Error('there is no table');
  return table;
}

function labelsOf(table: StoredLabelTable, row: number): string {
  const texts = table.keys.map((key, column) => {
    const code = table.codes[column]?.[row] ?? 0;
    const { bytes, ends } = table.texts[column] ?? { bytes: new Uint8Array(), ends: [] };
    const text = Buffer.from(bytes.subarray(ends[code - 2] ?? 0, ends[code - 1])).toString();
    return code === 0 ? '' : `${key}=${text},`;
  });
  return texts.join('');
}

function rowsOf(table: StepTable): Rows {
  const width = table.values.length / Math.max(table.rowCount, 1);
  const rows = Array.from({ length: table.rowCount }, (_, row) => {
    const values = [...table.values.subarray(row * width, (row + 1) * width)].map((value, at) =>
      table.present?.[row * width + at] === 0 ? null : value,
    );
    return [table.labels === null ? String(row) : labelsOf(table.labels, row), values] as const;
  });
  return Object.fromEntries(rows);
}

const textOfMade = async (made: Uint8Array | ByteStream): Promise<string> =>
  made instanceof Uint8Array ? Buffer.from(made).toString() : await textOf(made);

function printOf(table: StepTable, query: StepQuery): StepPrint {
  const labels = table.labels ?? { keys: [], texts: [], codes: [] };
  const order = Uint32Array.from({ length: table.rowCount }, (_, row) => row);
  const { start, step, count } = query;
  return { ...table, labels, start, step, count, order, isInstant: false };
}

describe('series at steps of time', () => {
  after(removeDirectories);

  it('are what their functions make of windows, with labels as Prometheus has them', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 60_000, step: 60_000, count: 3, window: 60_000 });
    const rates = await read(storage, { ...query, fn: 'rate' });
    assert.deepEqual(rowsOf(rates), {
      '__name__=m,core=0,host=a,': [0.1, 0.1, 0.1],
      '__name__=m,core=0,host=b,': [0.1, 0.1, 0.1],
      '__name__=m,core=1,host=a,': [0.2, 0.2, 0.2],
      '__name__=m,core=1,host=b,': [0.2, 0.2, 0.2],
    });
    assert.isNull(rates.present);
    const last = await read(storage, query);
    assert.deepEqual(rowsOf(last)['__name__=m,'], [7, null, null]);
    await storage.close();
  });

  it('are folded into groups', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 60_000, step: 60_000, count: 2, window: 60_000 });
    const fold = { op: 'sum', isBy: true, keys: ['host', 'none'] } as const;
    assert.deepEqual(rowsOf(await read(storage, { ...query, fold })), {
      '': [7, null],
      'host=a,': [18, 36],
      'host=b,': [19, 37],
    });
    const without = { op: 'count', isBy: false, keys: ['core'] } as const;
    assert.deepEqual(rowsOf(await read(storage, { ...query, fold: without })), {
      '': [1, null],
      'host=a,': [2, 2],
      'host=b,': [2, 2],
    });
    await storage.close();
  });

  it('give all samples of one window', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 30_000, window: 20_000, fn: 'samples' });
    const table = await read(storage, query);
    assert.strictEqual(table.rowCount, 4);
    assert.deepEqual([...(table.ends ?? [])], [2, 4, 6, 8]);
    const times = [...(table.times ?? [])];
    assert.deepEqual(times.slice(0, 2), [20_000, 30_000]);
    assert.strictEqual(labelsOf(table.labels ?? assert.fail(), 3).length, 25);
    await storage.close();
  });

  it('compute with rows that were computed as with stored samples', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const of = inMs({
      rowCount: 2,
      start: 0,
      step: 10_000,
      count: 100,
      values: Float64Array.from({ length: 200 }, (_, at) => at % 100),
      present: Uint8Array.from({ length: 200 }, (_, at) => (at < 100 ? 1 : 0)),
    });
    const query = inMs({ ...plain, of, start: 60_000, step: 60_000, count: 3, window: 60_000 });
    const table = await read(storage, { ...query, fn: 'increase' });
    assert.isNull(table.labels);
    assert.deepEqual(rowsOf(table), { 0: [6, 6, 6], 1: [null, null, null] });
    await storage.close();
  });

  it('print as the API of Prometheus has them', async () => {
    const storage = await open();
    await ingest(storage, [line({ host: 'a"b' }, 1500, 1e21), line({ host: 'a"b' }, 3500, 1e-7)]);
    const query = inMs({ ...plain, start: 1500, step: 2000, count: 3, window: 1000 });
    const table = await read(storage, query);
    const text = await textOfMade(storage.printSteps(printOf(table, query)));
    const metric = '{"__name__":"m","host":"a\\"b"}';
    assert.strictEqual(text, `{"metric":${metric},"values":[[1.500,"1e+21"],[3.500,"1e-07"]]}`);
    await storage.close();
  });

  it('are printed at once if that is quick, with their read statistics', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const times = inMs({ start: 60_000, step: 60_000, count: 3, window: 60_000 });
    const fold = { op: 'sum', isBy: true, keys: ['host'] } as const;
    const query = { ...plain, ...times, fold };
    const printed = { isInstant: false, hidesMetadata: false } as const;
    const few = { ...query, ...printed, limits: noLimits };
    const table = await read(storage, query);
    const labels = Labels.of(table.rowCount, table.labels ?? assert.fail());
    const order = await rowsInOrder(labels, { ...alone, breathe: () => Promise.resolve() });
    const expected = await textOfMade(storage.printSteps({ ...printOf(table, query), order }));
    const answered = (asked: StepAnswer): ShortTexts => {
      const made = storage.answerSteps(asked);
      return 'text' in made ? made : assert.fail('it is not answered at once');
    };
    const made = answered(few);
    assert.strictEqual(Buffer.from(made.text).toString(), expected);
    assert.include(expected, '"host":"b"');
    assert.strictEqual(made.rowCount, table.rowCount);
    assert.strictEqual(made.stats.rowsScanned, table.rowsScanned);
    assert.isAbove(table.rowsScanned, 0);
    await ingest(storage, [line({}, 60_000, 1, 'n'), line({}, 60_000, 2, 'o')]);
    const nameless = { ...few, fold: null, hidesMetadata: true, of: named('n') } as const;
    const bare = '{"metric":{},"values":[[60,"1"]]}';
    assert.strictEqual(Buffer.from(answered(nameless).text).toString(), bare);
    const both = { ...nameless, of: { ...named('n'), names: ['n', 'o'] } };
    assert.deepEqual(storage.answerSteps(both), await read(storage, both), 'rows are the same');
    const one = { ...few, count: 1, isInstant: true };
    const instant = Buffer.from(answered(one).text).toString();
    assert.include(instant, '{"metric":{"host":"a"},"value":[60,"18"]}');
    const long = inMs({ ...few, step: 1, count: 100_000 });
    const reading = storage.answerSteps(long);
    if (!('next' in reading)) throw new Error('it is long');
    assert.deepEqual(await reading.next(), await read(storage, long));
    reading.close();
    const refused = (changes: object): string =>
      thrownBy(() => storage.answerSteps({ ...few, ...changes }));
    assert.strictEqual(refused({ limits: { ...noLimits, samples: 1 } }), 'query_limit_exceeded');
    assert.strictEqual(refused({ isInstant: true }), 'invalid_argument');
    assert.strictEqual(refused({ fn: 'samples', count: 1 }), 'invalid_argument');
    const rows = { rowCount: 1, start: 0, step: 1, count: 1, present: null };
    const of = { ...rows, values: new Float64Array(1) };
    assert.strictEqual(refused({ of }), 'invalid_argument');
    await storage.close();
  });

  it('print long answers in pieces, and an instant separately', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 0, step: 1000, count: 5000, window: 60_000 });
    const table = await read(storage, query);
    const given = rowsOf(table);
    const made = storage.printSteps(printOf(table, query));
    assert.notInstanceOf(made, Uint8Array);
    const rows = JSON.parse(`[${await textOfMade(made)}]`) as {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
    assert.lengthOf(rows, table.rowCount);
    for (const { metric, values } of rows) {
      const labels = Object.entries(metric).map(([key, value]) => `${key}=${value},`);
      const row = given[labels.join('')] ?? assert.fail();
      const told = row.flatMap((value, at) => (value === null ? [] : [{ at, value }]));
      assert.deepEqual(
        values.map(([at, value]) => ({ at, value: Number(value) })),
        told,
      );
    }
    const instant = inMs({ ...plain, start: 5000 });
    const one = { ...printOf(await read(storage, instant), instant), isInstant: true };
    assert.include(await textOfMade(storage.printSteps(one)), '"value":[5,"7"]}');
    await storage.close();
  });

  it('give the memory of their cells back once all are printed, not before', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 0, step: 1000, count: 5000, window: 60_000 });
    const [ended, left] = [await read(storage, query), await read(storage, query)];
    const [made, closed] = [ended, left].map((table) => storage.printSteps(printOf(table, query)));
    if (made === undefined || made instanceof Uint8Array) throw new Error('it is short');
    if (closed === undefined || closed instanceof Uint8Array) throw new Error('it is short');
    assert.isAbove((await made.next())?.length ?? 0, 0);
    assert.lengthOf(ended.values, ended.rowCount * 5000);
    await textOfMade(made);
    assert.lengthOf(ended.values, 0);
    assert.isNull(await made.next());
    // A thread may still print it.
    assert.isAbove((await closed.next())?.length ?? 0, 0);
    closed.close();
    assert.lengthOf(left.values, left.rowCount * 5000);
    await storage.close();
  });

  it('are the same wherever the samples lie', async () => {
    const storage = await open();
    const lines = fleet();
    const query = inMs({ ...plain, start: 0, step: 7000, count: 150, window: 90_000 });
    const folded = {
      ...query,
      fn: 'rate',
      fold: { op: 'avg', isBy: true, keys: ['host'] },
    } as const;
    const answers: string[] = [];
    const note = async (): Promise<void> => {
      const tables = [await read(storage, query), await read(storage, folded)];
      answers.push(JSON.stringify(tables.map(rowsOf)));
    };
    await ingest(storage, lines.slice(0, 200));
    await storage.flush();
    await ingest(storage, lines.slice(100));
    await note();
    await storage.flush();
    await note();
    const compaction = storage.openCompaction();
    while ((await compaction.next()) !== null);
    await note();
    assert.lengthOf(answers[0] ?? '', answers[1]?.length ?? -1);
    assert.deepEqual(new Set(answers).size, 1);
    await storage.close();
  });

  it('requested together equal each alone, in order', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const wide = inMs({ ...plain, window: 60_000, step: 300, count: 3000 });
    const asked: StepQuery[] = [];
    for (const fn of ['last', 'rate', 'max_over_time', 'count_over_time'] as const) {
      for (let at = 0; at < 5; at += 1) asked.push(inMs({ ...wide, fn, start: at * 777 }));
    }
    const values = Float64Array.from({ length: 6 }, (_, at) => at);
    const long = inMs({ ...wide, step: 1, count: 1_000_000 });
    asked.splice(3, 0, { ...plain, of: named('none') }, long);
    const rows = inMs({ rowCount: 2, start: 0, step: 1000, count: 3, values, present: null });
    asked.splice(9, 0, { ...plain, of: rows });
    const opened = storage.openSteps(asked, noLimits);
    assert.strictEqual(opened.length, asked.length);
    for (const [place, one] of opened.entries()) {
      const query = asked[place] ?? assert.fail();
      assert.strictEqual('rowCount' in one, query.count < 10_000, String(place));
      const table = 'rowCount' in one ? one : await one.next();
      assert.deepEqual(table, await read(storage, query), String(place));
      if (!('rowCount' in one)) one.close();
    }
    assert.deepEqual(storage.openSteps([], noLimits), []);
    for (const wrong of [{ step: 0 }, { args: null }, { of: { ...plain.of, names: 7 } }]) {
      const refused = inMs({ ...wide, ...wrong }) as StepQuery;
      const some = [...asked.slice(0, 5), refused, ...asked.slice(5)];
      assert.strictEqual(
        thrownBy(() => storage.openSteps(some, noLimits)),
        'invalid_argument',
      );
    }
    const limited = (limits: Partial<StepLimits>): string =>
      thrownBy(() => storage.openSteps(asked, { ...noLimits, ...limits }));
    assert.strictEqual(limited({ samples: 10 }), 'query_limit_exceeded');
    assert.strictEqual(limited({ series: -1 }), 'invalid_argument');
    await storage.close();
    assert.strictEqual(limited({}), 'closed');
  });

  it('end early where they are closed, and with the storage', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const many = inMs({ start: 0, step: 1, count: 1_000_000, window: 1_000_000 });
    const slow = {
      ...plain,
      ...many,
      fn: 'quantile_over_time',
      args: [Float64Array.of(0.5)],
    } as const;
    const stream = openSteps(storage, slow);
    if ('rowCount' in stream) throw new Error('it takes long');
    const reading = rejectedBy(() => stream.next());
    stream.close();
    assert.strictEqual(await reading, 'closed');
    const unread = openSteps(storage, slow);
    if ('rowCount' in unread) throw new Error('it takes long');
    await storage.close();
    assert.strictEqual(await rejectedBy(() => unread.next()), 'closed');
  });

  it('are rejected for invalid requests', async () => {
    const storage = await open();
    const refused = (changes: Partial<Record<keyof StepQuery, unknown>>): string =>
      thrownBy(() => openSteps(storage, { ...plain, ...changes } as StepQuery));
    const rows = { rowCount: 2, start: 0, step: 1, count: 3, present: null };
    const wrong = [
      { step: 0 },
      { step: 0.5 },
      { count: 2 ** 40 },
      { count: 9, start: 2 ** 53, step: 2 ** 52 },
      { window: -1 },
      { fn: 'median' },
      { args: [Float64Array.of(1)] },
      { fn: 'quantile_over_time' },
      { fn: 'quantile_over_time', args: [new Float64Array(2)] },
      { fn: 'quantile_over_time', args: [[0.5]] },
      { fn: 'samples', count: 2 },
      { fold: { op: 'median', isBy: true, keys: [] } },
      { kept: { op: '==', than: 1 } },
      { kept: { op: '=', than: 1 }, fn: 'samples' },
      { kept: { op: '=', than: 1 }, of: rows },
      { of: { ...rows, values: new Float64Array(5) } },
      { of: { ...rows, values: new Float64Array(6), present: new Uint8Array(5) } },
      { of: { ...rows, values: [1, 2, 3, 4, 5, 6] } },
    ];
    for (const changes of wrong) {
      assert.strictEqual(refused(changes), 'invalid_argument', JSON.stringify(changes));
    }
    const table = await read(storage, plain);
    const print = { ...printOf(table, plain), order: Uint32Array.of(7) };
    assert.strictEqual(
      thrownBy(() => storage.printSteps(print)),
      'invalid_argument',
    );
    await storage.close();
  });

  it('are none where no series match', async () => {
    const storage = await open();
    const table = await read(storage, { ...plain, of: named('none') });
    assert.strictEqual(table.rowCount, 0);
    assert.deepEqual(table.labels, { keys: [], texts: [], codes: [] });
    await storage.close();
  });

  it('have limits', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 60_000, step: 1000, count: 10, window: 60_000 });
    const refused = (limits: Partial<StepLimits>): Promise<string> =>
      rejectedBy(() => read(storage, query, limits));
    assert.strictEqual(await refused({ series: 4 }), 'query_limit_exceeded');
    assert.strictEqual(await refused({ samples: 10 }), 'query_limit_exceeded');
    assert.strictEqual(await refused({ cells: 49 }), 'query_limit_exceeded');
    assert.strictEqual(await refused({ cells: 50 }), 'resolved');
    await storage.close();
  });

  it("count the same query's earlier use against the limits that errors name", async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const query = inMs({ ...plain, start: 60_000, step: 1000, count: 10, window: 60_000 });
    const told = (limits: Partial<StepLimits>): Promise<string> =>
      read(storage, query, limits).then(
        () => 'resolved',
        (error: unknown) => String(error),
      );
    assert.strictEqual(await told({ cells: 60, cellsBefore: 10 }), 'resolved');
    assert.include(await told({ cells: 60, cellsBefore: 11 }), 'max_query_cells = 60 values');
    assert.include(await told({ cells: 60, cellsBefore: 61 }), 'max_query_cells = 60 values');
    assert.strictEqual(await told({ samples: 1e6, samplesBefore: 1000 }), 'resolved');
    assert.include(
      await told({ samples: 1e6, samplesBefore: 1e6 - 10 }),
      'max_query_samples = 1000000 samples',
    );
    await storage.close();
  });

  it('are limited to those of a token bound to labels', async () => {
    const storage = await open();
    await ingest(storage, fleet());
    const bound = new BoundStore(storage, [['host', 'a']]);
    const table = await read(bound, inMs({ ...plain, start: 60_000, window: 60_000 }));
    assert.sameMembers(Object.keys(rowsOf(table)), [
      '__name__=m,core=0,host=a,',
      '__name__=m,core=1,host=a,',
    ]);
    await storage.close();
  });
});
