import { text as textOf } from 'node:stream/consumers';

import { assert } from 'chai';

import { nanoseconds } from '../../../src/common/model/timestamp-unit.js';
import { zeroTotals } from '../../../src/query/seriesql/compile-totals.js';
import { StorageQueryEngine } from '../../../src/query/seriesql/compiled/storage-engine.js';
import { Guard } from '../../../src/query/limits/guard.js';
import { StorageSource } from '../../../src/query/seriesql/execute/storage-source.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import {
  printJson,
  printResult,
  type ResultFormat,
} from '../../../src/query/seriesql/result/format.js';
import { runQuery } from '../../../src/query/seriesql/run-query.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import type { CompilerMode, QueryStats } from '../../../src/query/seriesql/execute/query-stats.js';
import type { PlannedSelection } from '../../../src/query/seriesql/plan/plan.js';
import type { SeriesInfo } from '../../../src/query/seriesql/plan/series.js';
import type { Storage } from '../../../src/storage/storage.js';

const limits = {
  maxRows: 1e6,
  maxSeries: 1e6,
  maxSamples: 1e9,
  maxTextBytes: 2 ** 28,
  timeoutMs: 20_000,
};
const totals = zeroTotals();

/** Counts the scans that look at every series. */
class CountingSource extends StorageSource {
  count = 0;

  override select(selection: PlannedSelection): Promise<readonly SeriesInfo[]> {
    this.count += 1;
    return super.select(selection);
  }
}

interface Answer {
  /** The rows, or the error. */
  readonly text: string;
  readonly stats: QueryStats | null;
  readonly listings: number;
}

async function ask(
  storage: Storage,
  text: string,
  mode: CompilerMode,
  format: ResultFormat | null = null,
): Promise<Answer> {
  const source = new CountingSource(storage, 'ms', new Evaluator('ms'));
  try {
    const engine = {
      ...{ source, mode, limits, totals, clock: () => nanoseconds(0n) },
      compiled: new StorageQueryEngine(storage, source),
      shadow: { onMismatch: 'error', report: () => undefined },
    } as const;
    const query = await runQuery(text, engine, { guard: new Guard(limits), format });
    let rows = '';
    if (format === null) {
      for await (const batch of query.rows) {
        for (const row of batch) rows += `${row.map(printJson).join(' ')}\n`;
      }
    } else {
      rows = (await textOf(printResult(query, format))).replace(/,"stats":.*/, '');
    }
    return { text: rows, stats: query.stats(), listings: source.count };
  } catch (error) {
    return { text: String(error), stats: null, listings: source.count };
  }
}

const words = [
  'a',
  'b',
  'web',
  'db',
  '-',
  '1',
  '7',
  '.',
  '_',
  '%',
  'é',
  '😀',
  '"',
  '\\',
  '\n',
  'A',
];
const keys = ['host', 'dc', 'k"ey'];

function word(random: Random): string {
  return Array.from({ length: random.below(4) }, () => random.pick(words)).join('');
}

async function randomSeries(random: Random): Promise<Storage> {
  const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
  const request = storage.beginIngest({ precision: 'ms', isLenient: false });
  for (let at = 0; at < 400; at++) {
    const metric = random.pick(['cpu.user', 'cpu.system', 'cpu.é', 'mem', 'cpux']);
    const labels = keys.flatMap((key) => (random.chance(0.6) ? [[key, word(random)]] : []));
    const line = { metric, labels: Object.fromEntries(labels) as unknown, ts: at, value: at };
    request.write(Buffer.from(`${JSON.stringify(line)}\n`));
  }
  await request.commit();
  return storage;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const columnOf = (key: string): string => (/^\w+$/.test(key) ? `tag.${key}` : `tag."k""ey"`);

function pattern(random: Random): string {
  const part = (): string =>
    random.pick([
      'web',
      '[ab]',
      '.',
      'é',
      '(a|b)',
      '\\d',
      '\\.',
      '_',
      '(?i)A',
      '"',
      '\\s',
      '1+',
      'a?',
    ]);
  const body = Array.from({ length: 1 + random.below(3) }, part).join('');
  return `${random.pick(['', '^'])}${body}${random.pick(['', '$', '.*'])}`;
}

function oneCondition(random: Random, subject: string): string {
  return random.pick([
    `${subject} =~ ${quoted(pattern(random))}`,
    `${subject} !~ ${quoted(pattern(random))}`,
    `${subject} like ${quoted(`${word(random)}%`)}`,
    `${subject} not like ${quoted(`%${word(random)}_`)}`,
    `${subject} = ${quoted(word(random))}`,
    `${subject} != ${quoted(word(random))}`,
    `${subject} in (${quoted(word(random))}, ${quoted(word(random))})`,
    `${subject} not in (${quoted(word(random))}, null)`,
    `${subject} is null`,
    `${subject} is not null`,
    `${subject} > ${quoted(word(random))}`,
    `not (${subject} between 'a' and ${quoted(word(random))})`,
    `length(${subject}) = 2 or ${subject} is null`,
    `coalesce(${subject}, 'web') =~ 'b'`,
    `case when ${subject} < 'b' then true else null end`,
  ]);
}

/** Conditions on labels, the metric and ids, or nothing. */
function conditions(random: Random, ids: readonly string[]): readonly string[] {
  const some = Array.from({ length: random.below(4) }, () =>
    oneCondition(random, random.pick([...keys.map(columnOf), 'metric', 'tag.none'])),
  );
  const few = [random.pick(ids), random.pick(ids), '5'].join(', ');
  if (random.chance(0.2)) some.push(`series_id in (${few})`);
  if (random.chance(0.1)) some.push(`series_id = ${random.pick(ids)}`);
  return some.map((one) => `(${one})`);
}

/** A statement that the index answers alone. */
function listStatement(random: Random, from: string, where: readonly string[]): string {
  const condition = where.length === 0 ? '' : ` where ${where.join(' and ')}`;
  const limit = random.chance(0.4) ? ` limit ${random.below(12)}` : '';
  const maybeFrom = random.chance(0.8) ? ` from ${from}` : '';
  const items = ['tag.host', 'metric', 'series_id', 'tag."k""ey"', 'tag.none', 'tag.host as h'];
  const chosen = Array.from({ length: 1 + random.below(4) }, () => random.pick(items)).join(', ');
  const offset = limit !== '' && random.chance(0.5) ? ` offset ${random.below(8)}` : '';
  return random.pick([
    `show series from ${from}${condition}${limit}`,
    `show metrics${condition}${limit}`,
    `show labels${maybeFrom}${condition}${limit}`,
    `show label values for ${random.pick(['host', 'dc', '"k""ey"', 'none'])}${maybeFrom}${condition}${limit}`,
    `select ${chosen} from ${from}${condition}${limit}${offset}`,
  ]);
}

async function idsIn(storage: Storage): Promise<readonly string[]> {
  const { text } = await ask(storage, 'select series_id from cpu.*', 'legacy');
  return text.trim().split('\n');
}

describe('a list', () => {
  after(removeDirectories);

  it(`from the index equals the interpreter's, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    let found = 0;
    for (let world = 0; world < 3; world++) {
      const random = new Random(testSeed + world);
      const storage = await randomSeries(random);
      const ids = await idsIn(storage);
      for (let at = 0; at < 200; at++) {
        const few = ids.filter(() => random.chance(0.05));
        const from = random.pick([
          'cpu.*',
          'cpu.user',
          'mem',
          `by_id(${['7', ...few].join(', ')})`,
        ]);
        const text = listStatement(random, from, conditions(random, ids));
        const legacy = await ask(storage, text, 'legacy');
        const compiled = await ask(storage, text, 'compiled');
        assert.strictEqual(compiled.text, legacy.text, text);
        assert.strictEqual(compiled.listings, 0, text);
        assert.strictEqual(compiled.stats?.legacy_fallback, legacy.stats?.legacy_fallback, text);
        for (const key of ['selector_mode', 'selected_series_count', 'rows_emitted'] as const) {
          assert.strictEqual(compiled.stats?.[key], legacy.stats?.[key], `${key} of ${text}`);
        }
        const format = random.pick(['json', 'csv', 'ndjson'] as const);
        const printed = await ask(storage, text, 'compiled', format);
        assert.strictEqual(printed.text, (await ask(storage, text, 'legacy', format)).text, text);
        assert.strictEqual((await ask(storage, text, 'shadow')).text, legacy.text, text);
        if ((legacy.stats?.rows_emitted ?? 0) > 0) found += 1;
      }
      await storage.close();
    }
    assert.isAbove(found, 150);
  });
});

describe('a selection', () => {
  after(removeDirectories);

  it(`by the index equals the interpreter's, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    let found = 0;
    for (let world = 0; world < 4; world++) {
      const random = new Random(testSeed + world);
      const storage = await randomSeries(random);
      const ids = await idsIn(storage);
      for (let at = 0; at < 150; at++) {
        const few = ids.filter(() => random.chance(0.05));
        const byId = `by_id(${['7', ...few].join(', ')})`;
        const from = random.pick(['cpu.*', 'cpu.user', 'mem', byId, "cpu.*{host=~'a'}"]);
        const where = ['time >= 0', ...conditions(random, ids)].join(' and ');
        const text = `select series_id, count(*) from ${from} where ${where} group by series_id`;
        const legacy = await ask(storage, text, 'legacy');
        const compiled = await ask(storage, text, 'compiled');
        assert.strictEqual(compiled.text, legacy.text, text);
        assert.strictEqual(compiled.listings, 0, text);
        assert.strictEqual(
          compiled.stats?.selected_series_count,
          legacy.stats?.selected_series_count,
          text,
        );
        assert.notStrictEqual(compiled.stats?.legacy_fallback, true, text);
        if ((legacy.stats?.selected_series_count ?? 0) > 0) found += 1;
      }
      await storage.close();
    }
    assert.isAbove(found, 150);
  });

  it('that compares two labels is evaluated per series', async () => {
    const storage = await randomSeries(new Random(testSeed));
    const text =
      'select series_id, count(*) from cpu.* where tag.host < tag.dc and time >= 0 group by series_id';
    const compiled = await ask(storage, text, 'compiled');
    assert.strictEqual(compiled.text, (await ask(storage, text, 'legacy')).text);
    assert.strictEqual(compiled.listings, 1);
    await storage.close();
  });
});
