import { assert } from 'chai';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import {
  addonPath,
  freshDirectory,
  linesFrom,
  optionsFor,
  removeDirectories,
} from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';
import { boolean, chosenText, float, integer, number } from './expression-maker.js';
import { randomTimes } from './query-maker.js';
import { assertSame, randomStorage } from './worlds.js';

const worlds = 4;
const queriesOfWorld = 150;
const sources = ['cpu.*', 'requests_total', 'odd', 'cpu.usage_user'];

const exact = ['sum', 'min', 'max', 'first', 'last', 'count', 'min_time', 'max_time'];
const ofAnyType = ['min', 'max', 'first', 'last', 'min_time', 'max_time'];
const ofNumbers = [...exact, 'avg', 'median', 'delta', 'rate', 'integral'];

/**
 * An aggregate of a number. Sums get no powers, which differ too much in size for exact sums: if
 * they cancel, the rest depends on the order of series.
 */
function ofNumber(random: Random, make: () => string): string {
  const name = random.pick(ofNumbers);
  let argument = make();
  const isAdded = ['sum', 'avg', 'delta', 'rate', 'integral'].includes(name);
  while (isAdded && /\b(?:exp|pow)\(/.test(argument)) argument = make();
  return `${name}(${argument})`;
}

/** Group keys: some have a few values, some as many as there are samples. */
function randomKey(random: Random): string {
  const depth = 1 + random.below(2);
  return random.pick<() => string>([
    () => boolean(random, depth),
    () => boolean(random, 0),
    () => chosenText(random, depth),
    () => random.pick(['upper(tag.host)', "concat(metric, '-', tag.host)"]),
    () => float(random, depth),
    () => integer(random, depth),
    () => `time_bucket(${random.pick(['7', '1s', '1m', '1mo', '1y'])}, time)`,
    () => `floor(value / ${random.pick(['10', '25'])})`,
    () => `cast(value as integer) % ${random.pick(['2', '7'])}`,
    () => random.pick(['value', 'time', 'time % 7', 'sign(value)', '-value * 0']),
    () => random.pick(['metric', 'series_id', 'tag.host', 'tag.none', "tag.host = 'a'"]),
    () => random.pick(['length(tag.host)', 'tag.host is null', 'null', 'true', "'x'"]),
    () =>
      random.pick(['upper(tag.host)', "coalesce(tag.dc, 'é', metric)", 'cast(tag.none as float)']),
    () => random.pick(["concat(tag.host, '/', tag.dc)", "tag.host < 'b'", 'exp(length(tag.host))']),
    () => `case when ${boolean(random, 1)} then 'é' when ${boolean(random, 0)} then 'b' end`,
    () => `coalesce(case when value > 50 then '😀' end, ${random.pick(["'~'", 'null'])}, '😀')`,
    () => `case when ${boolean(random, depth)} then 'x' else 'x' end`,
  ])();
}

/** Asks both engines `make(from)` many times, where `from` ends in a condition. */
async function compareAll(
  shift: number,
  make: (random: Random, from: string) => string,
): Promise<void> {
  for (let world = 0; world < worlds; world++) {
    const random = new Random(testSeed + shift + world);
    const storage = await randomStorage(random);
    const engines = new Engines(storage);
    for (let at = 0; at < queriesOfWorld; at++) {
      const from = `from ${random.pick(sources)} where ${randomTimes(random)}`;
      const text = make(random, from);
      const legacy = await engines.answer(text, 'legacy');
      const compiled = await engines.answer(text, 'compiled');
      assertSame(text, legacy, compiled);
      if (compiled.stats !== null) assert.isFalse(compiled.stats.legacy_fallback, text);
    }
    await storage.close();
  }
}

describe('expressions in the addon', () => {
  after(removeDirectories);

  it(`keep the samples that the interpreter keeps, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    await compareAll(100, (random, from) => {
      const where = `${from} and ${boolean(random, 1 + random.below(4))}`;
      return random.pick([
        `select time, series_id, value ${where}`,
        `select metric, tag.host, count(*), max(value) ${where} group by metric, tag.host`,
      ]);
    });
  });

  it(`are aggregated as by the interpreter, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    await compareAll(200, (random, from) => {
      const depth = 1 + random.below(3);
      const aggregates = Array.from({ length: 1 + random.below(3) }, () =>
        random.pick([
          () => ofNumber(random, () => number(random, depth)),
          () => `${random.pick(exact)}(${integer(random, depth)})`,
          () => `${random.pick(['min', 'max', 'first', 'last'])}(${float(random, depth)})`,
          () => `count(${random.pick(['', 'distinct '])}${boolean(random, depth)})`,
          () => `${random.pick(ofAnyType)}(${boolean(random, depth)})`,
          () => `${random.pick([...ofAnyType, 'count'])}(${chosenText(random, 1)})`,
          () => `count(distinct ${chosenText(random, 1)})`,
          () =>
            `${random.pick(['stddev', 'variance'])}(${random.pick(['abs(value)', 'time', '7'])})`,
          () => `percentile(${number(random, depth)}, 0.3)`,
          () => random.pick(['count(tag.host)', 'count(tag.none)', 'min(time)', 'sum(null)']),
        ])(),
      );
      const keys = random.pick([
        '',
        'metric',
        'time_bucket(1s, time)',
        'tag.host, time_bucket(7, time)',
        'time_bucket(1mo, time)',
      ]);
      const filter = random.chance(0.3) ? ` and ${boolean(random, 2)}` : '';
      const group = keys === '' ? '' : ` group by ${keys}`;
      return `select ${aggregates.join(', ')}, count(*) ${from}${filter}${group}`;
    });
  });

  it(`group as the interpreter groups, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    await compareAll(400, (random, from) => {
      const keys = Array.from({ length: 1 + random.below(3) }, () => randomKey(random));
      const aggregates = Array.from({ length: random.below(4) }, () =>
        random.pick([
          () => ofNumber(random, () => random.pick(['value', number(random, 1)])),
          () => `${random.pick(exact)}(${integer(random, 1)})`,
          () => random.pick(['stddev(value)', 'percentile(value, 0.7)', 'increase(value)']),
          () => `count(distinct ${random.pick(['value', 'time', boolean(random, 1)])})`,
        ])(),
      );
      const filter = random.chance(0.3) ? ` and ${boolean(random, 2)}` : '';
      const items = [...keys.filter(() => random.chance(0.7)), ...aggregates, 'count(*)'];
      const having = random.chance(0.1) ? ' having count(*) > 2' : '';
      const order = random.chance(0.3)
        ? ` order by ${random.pick([...keys, 'count(*)'])}${random.pick(['', ' desc'])}`
        : '';
      const limit = random.chance(0.2)
        ? ` limit ${random.below(30)} offset ${random.below(5)}`
        : '';
      const group = ` group by ${keys.join(', ')}`;
      return `select ${items.join(', ')} ${from}${filter}${group}${having}${order}${limit}`;
    });
  });

  it(`order rows as the interpreter orders them, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    await compareAll(300, (random, from) => {
      const keys = Array.from({ length: 1 + random.below(3) }, () => {
        const key = random.pick([
          () => number(random, 1 + random.below(2)),
          () => boolean(random, 1),
          () => random.pick(['value', 'time', 'tag.host', 'metric', 'series_id', 'tag.none']),
          () => "concat(tag.host, 'x')",
          () => chosenText(random, 1),
        ])();
        return `${key}${random.pick(['', ' desc'])}`;
      });
      const filter = random.chance(0.3) ? ` and ${boolean(random, 2)}` : '';
      const limit = random.chance(0.7) ? ` limit ${random.below(300)}` : '';
      const offset = limit !== '' && random.chance(0.3) ? ` offset ${random.below(9)}` : '';
      const items = random.pick(['time, series_id, value', '*', 'value * 2, series_id, time']);
      return `select ${items} ${from}${filter} order by ${keys.join(', ')}${limit}${offset}`;
    });
  });

  it('are lowered once wherever they occur', async function () {
    this.timeout(60_000);
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(linesFrom(0, 500));
    await request.commit();
    const engines = new Engines(storage);
    // If parts are lowered at each use, each of these doubles the plan.
    const times = 'from m where time >= 0';
    const chain = `value in (1, 2)${' in (true, false)'.repeat(300)}`;
    const between = `value + 1 between 0 and 9${' between false and true'.repeat(10)}`;
    for (const text of [
      `select series_id, value ${times} and ${chain}`,
      `select series_id, value ${times} and ${between}`,
      `select count(${chain}) ${times}`,
      `select series_id, value ${times} order by ${chain}, value limit 5`,
    ]) {
      const legacy = await engines.answer(text, 'legacy');
      const compiled = await engines.answer(text, 'compiled');
      assertSame(text, legacy, compiled);
      assert.isFalse(compiled.stats?.legacy_fallback, text);
    }
    await storage.close();
  });

  it('keep the top rows of more rows than fit', async function () {
    this.timeout(60_000);
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(linesFrom(0, 150_000));
    await request.commit();
    const engines = new Engines(storage);
    for (const order of [
      'value % 1000 desc, time desc',
      'value % 1000',
      '- value',
      'time % 7, value',
    ]) {
      const text = `select time, value from m where time >= 0 order by ${order} limit 7 offset 200`;
      const compiled = await engines.answer(text, 'compiled');
      assert.isFalse(compiled.stats?.legacy_fallback, text);
      assert.strictEqual(compiled.rows.length, 7);
      assertSame(text, await engines.answer(text, 'legacy'), compiled);
    }
    await storage.close();
  });
});
