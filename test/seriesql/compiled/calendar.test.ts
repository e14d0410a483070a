import { assert } from 'chai';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { timestampUnits, type TimestampUnit } from '../../../src/common/model/timestamp-unit.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';
import { assertSame } from './worlds.js';

import type { Storage } from '../../../src/storage/storage.js';

const queriesOfUnit = 120;
const perSecond = { s: 1n, ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;
const day = 86_400n;
const bottom = -(2n ** 63n);
const top = 2n ** 63n - 1n;
/** The last second of the calendar; its first is as far before 1970. */
const reach = 8_640_000_000_000n - 400n * day;

const clamp = (ts: bigint): bigint => (ts < bottom ? bottom : ts > top ? top : ts);

/** Times around the ends of months and years in six centuries, of the calendar and of int64. */
function randomTime(random: Random, unit: TimestampUnit): bigint {
  const beside = BigInt(random.below(5) - 2);
  const seconds = (): bigint => {
    const [year, month] = [1690 + random.below(560), random.below(12)];
    return BigInt(Date.UTC(year, month, random.pick([1, 1, 28, 29]))) / 1000n;
  };
  const edges = [-reach, reach + 1n].map((edge) => edge * perSecond[unit]);
  return clamp(
    random.chance(0.05)
      ? random.pick([bottom + 2n, top - 2n, ...edges, 0n]) + beside
      : seconds() * perSecond[unit] + beside,
  );
}

async function storageOf(random: Random, unit: TimestampUnit): Promise<Storage> {
  const options = optionsFor(freshDirectory(), { timestampUnit: unit });
  const storage = await openNativeStorage(options, addonPath);
  for (let batch = 0; batch < 4; batch++) {
    const lines = Array.from({ length: 400 }, () => {
      const [metric, kind] = random.pick([
        ['gauge', 'gauge'],
        ['total', 'counter'],
      ] as const);
      const head = `{"metric":"${metric}","kind":"${kind}","labels":{"host":"${random.below(3)}"}`;
      const ts = String(randomTime(random, unit));
      return `${head},"ts":${ts},"value":${random.below(1000) / 4}}\n`;
    });
    const request = storage.beginIngest({ precision: unit, isLenient: false });
    request.write(Buffer.from(lines.join('')));
    await request.commit();
    if (random.chance(0.5)) await storage.flush();
  }
  return storage;
}

const aggregates = [
  ...['count(*)', 'sum(value)', 'min(value)', 'max(value)', 'first(value)', 'last(value)'],
  ...['avg(value)', 'delta(value)', 'increase(value)', 'rate(value)', 'integral(value)'],
  ...['min_time(value)', 'median(value)', 'min(time)', 'max(cast(value as integer))'],
  ...['count(distinct value)', 'rate(value * 2)', 'stddev(value)'],
];

function randomQuery(random: Random, unit: TimestampUnit): string {
  const width = random.pick(['1mo', '1mo', '3mo', '5mo', '1y', '10y', '77777y', '1000000mo']);
  const bucket = `time_bucket(${width}, time)`;
  const keys = [bucket, ...(random.chance(0.4) ? [random.pick(['tag.host', 'metric'])] : [])];
  const items = [
    ...keys,
    ...Array.from({ length: 1 + random.below(3) }, () => random.pick(aggregates)),
  ];
  const [from = 0n, to = 0n] = [randomTime(random, unit), randomTime(random, unit)].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const isFilled = random.chance(0.2) && !width.endsWith('1mo') && unit === 'ns';
  const bounded = `time between ${from} and ${to}`;
  const where = isFilled
    ? bounded
    : random.pick([bounded, `time >= ${from}`, `time <= ${to}`, `time >= ${bottom}`]);
  const fill = isFilled ? ` fill(${random.pick(['null', 'previous', '0'])})` : '';
  const order = random.chance(0.6) ? ` order by 1${random.pick(['', ' desc'])}` : '';
  const limit = random.chance(0.5) ? ` limit ${1 + random.below(9)}` : '';
  const offset = limit !== '' && random.chance(0.3) ? ' offset 2' : '';
  const source = random.pick(['gauge', 'total', "gauge{host='1'}"]);
  const group = ` group by ${keys.join(', ')}${fill}`;
  return `select ${items.join(', ')} from ${source} where ${where}${group}${order}${limit}${offset}`;
}

describe('calendar buckets in the addon', () => {
  after(removeDirectories);

  timestampUnits.forEach((unit, at) => {
    it(`equal those of the interpreter, in ${unit}, seed ${testSeed}`, async function () {
      this.timeout(120_000);
      const random = new Random(testSeed + at);
      const storage = await storageOf(random, unit);
      const engines = new Engines(storage, unit);
      let rows = 0;
      for (let query = 0; query < queriesOfUnit; query++) {
        const text = randomQuery(random, unit);
        const legacy = await engines.answer(text, 'legacy');
        const compiled = await engines.answer(text, 'compiled');
        assertSame(text, legacy, compiled);
        if (compiled.stats === null) continue;
        assert.isFalse(compiled.stats.legacy_fallback, text);
        const format = random.pick(['json', 'csv', 'ndjson'] as const);
        const printed = await engines.print(text, format, false);
        assert.strictEqual(printed, await engines.print(text, format, true), text);
        rows += legacy.rows.length;
      }
      assert.isAbove(rows, queriesOfUnit);
      await storage.close();
    });
  });
});
