import { assert } from 'chai';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';

import type { Storage } from '../../../src/storage/storage.js';

const oddTexts = [
  '"',
  '\\',
  '\u0000',
  '\u001f',
  '\b\f\n\r\t',
  '\u007f',
  '\u2028',
  'é€😀',
  ',',
  ' ',
  'a',
];

function randomText(random: Random): string {
  return Array.from({ length: 1 + random.below(6) }, () => random.pick(oddTexts)).join('');
}

const bits = new DataView(new ArrayBuffer(8));

/** Values of all magnitudes, and short decimals as people write them. */
function randomValue(random: Random): number {
  switch (random.below(6)) {
    case 0: {
      bits.setBigInt64(0, random.int64());
      const any = bits.getFloat64(0);
      return Number.isFinite(any) ? any : 0;
    }
    case 1:
      return random.next32() * 2 ** -1074 * (random.chance(0.5) ? 1 : -1);
    case 2:
      return random.pick([0, -0, 5e-324, -5e-324, 2 ** 53, 1e21, 1e-7, Number.MAX_VALUE]);
    case 3:
      return Number(random.int64() >> BigInt(random.below(63)));
    default:
      return (random.below(2_000_000) - 1_000_000) / 10 ** random.below(9);
  }
}

const printValue = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** Series with odd labels, some without; every bucket of some hours may be empty. */
async function randomStorage(random: Random): Promise<Storage> {
  const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
  for (let series = 1 + random.below(12); series > 0; series--) {
    const labels = random.chance(0.2) ? {} : { k: randomText(random), s: String(series) };
    const head = `{"metric":"m.${random.below(3)}","labels":${JSON.stringify(labels)}`;
    const lines = Array.from({ length: 1 + random.below(400) }, () => {
      const isFirst = random.chance(0.01);
      const ts = isFirst ? -(2n ** 63n) : BigInt(random.below(50_000) - 10_000);
      return `${head},"ts":${ts},"value":${printValue(randomValue(random))}}\n`;
    });
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(Buffer.from(lines.join('')));
    await request.commit();
    if (random.chance(0.3)) await storage.flush();
  }
  return storage;
}

function randomCut(random: Random): string {
  if (random.chance(0.5)) return '';
  return ` limit ${random.below(40)}${random.chance(0.5) ? ` offset ${random.below(10)}` : ''}`;
}

const keys = ['tag.k', 'tag.s', 'metric', 'series_id', 'time_bucket(7s, time)', 'tag.none'];
const aggregates = [
  ...['count(*)', 'max(value)', 'min(value)', 'avg(value)', 'stddev(value)', 'first(value)'],
  ...['max_time(value)', 'rate(value)', 'percentile(value, 0.7)', 'count(distinct value)'],
];

function randomGroups(random: Random): string {
  const chosen = keys.filter(() => random.chance(0.4));
  if (chosen.length === 0) chosen.push(random.pick(keys));
  const items = [...chosen, ...aggregates.filter(() => random.chance(0.2))];
  items.sort(() => random.unit() - 0.5);
  const order = Array.from(
    { length: random.below(3) },
    () => `${1 + random.below(items.length)}${random.pick(['', ' desc', ' asc'])}`,
  );
  return [
    `select ${items.join(', ')} from m.* where ${random.pick(['time > 0', 'time < 9999999'])}`,
    ` group by ${chosen.join(', ')}`,
    order.length === 0 ? '' : ` order by ${order.join(', ')}`,
    randomCut(random),
  ].join('');
}

const cells = ['time', 'value', 'metric', 'tag.k', 'tag.none', 'tag.s', 'value'];

function randomRows(random: Random): string {
  const chosen = cells.filter(() => random.chance(0.5));
  chosen.push('series_id', random.pick(['time', 'value']));
  chosen.sort(() => random.unit() - 0.5);
  const items = random.chance(0.2) ? '*' : chosen.join(', ');
  const order = random.pick(['', ' order by time', ' order by time desc']);
  const where = random.pick(['time > 0', 'time < 9999999', 'time > 0 and value > 0']);
  return `select ${items} from m.* where ${where}${order}${randomCut(random)}`;
}

describe('rows as text from the addon', () => {
  after(removeDirectories);

  it(`equal the printed values, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    const random = new Random(testSeed);
    for (let world = 0; world < 12; world++) {
      const storage = await randomStorage(random);
      const engines = new Engines(storage);
      for (let at = 0; at < 60; at++) {
        const text = random.chance(0.6) ? randomGroups(random) : randomRows(random);
        const format = random.pick(['json', 'csv', 'ndjson'] as const);
        const printed = await engines.print(text, format, false);
        assert.strictEqual(engines.nativeTexts, at + 1, text);
        assert.strictEqual(printed, await engines.print(text, format, true), text);
      }
      await storage.close();
    }
  });

  it('follow the columns, however long their names, and precede the stats', async () => {
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(Buffer.from('{"metric":"m","ts":1,"value":0.5}\n'));
    await request.commit();
    const engines = new Engines(storage);
    for (const length of [1, 100, 400, 460, 900, 1000, 3000]) {
      for (const format of ['json', 'csv', 'ndjson'] as const) {
        const name = '"' + 'é'.repeat(length >> 1) + 'x'.repeat(length & 1) + '"';
        const text = `select time as ${name}, value as v from m where time >= 0`;
        const printed = await engines.print(text, format, false);
        assert.strictEqual(printed, await engines.print(text, format, true), text);
        assert.include(printed, format === 'csv' ? '\r\n1,0.5\r\n' : '0.5');
      }
    }
    assert.strictEqual(engines.nativeTexts, 21);
    await storage.close();
  });

  it('come in pieces that fit together, in every format', async function () {
    this.timeout(60_000);
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    // Labels so long and so many that the printing cache cannot hold them all.
    const filler = 'x'.repeat(4000);
    for (let at = 0; at < 6000; at++) {
      const labels = `{"k":"${filler}${at % 5000}"}`;
      const line = `{"metric":"m","labels":${labels},"ts":${at},"value":${at / 8}}\n`;
      request.write(Buffer.from(line));
    }
    await request.commit();
    const engines = new Engines(storage);
    for (const text of [
      'select time, tag.k, value from m where time >= 0',
      'select tag.k, count(*), last(value) from m group by tag.k order by 3 desc',
    ]) {
      for (const format of ['json', 'csv', 'ndjson'] as const) {
        const printed = await engines.print(text, format, false);
        assert.isAbove(printed.length, 5000 * filler.length);
        const isSame = printed === (await engines.print(text, format, true));
        assert.isTrue(isSame, `${text} as ${format}`);
      }
    }
    assert.strictEqual(engines.nativeTexts, 6);
    await storage.close();
  });
});
