import { assert } from 'chai';

import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';

import type { Value } from '../../../src/query/values/value.js';
import type { Storage } from '../../../src/storage/storage.js';

const hosts = 40;
const stepsOfHost = 300;

interface Sample {
  readonly host: number;
  readonly ts: number;
  readonly value: number;
}

async function store(storage: Storage, samples: readonly Sample[]): Promise<void> {
  const request = storage.beginIngest({ precision: 'ms', isLenient: false });
  for (const { host, ts, value } of samples) {
    const number = Object.is(value, -0) ? '-0.0' : String(value);
    const head = `{"metric":"m","kind":"counter","labels":{"host":"h${host}"}`;
    request.write(Buffer.from(`${head},"ts":${ts},"value":${number}}\n`));
  }
  await request.commit();
}

/** Tenths, hundredths and so on, of either sign, that no double holds exactly. */
function decimals(random: Random): Sample[] {
  const all: Sample[] = [];
  for (let host = 0; host < hosts; host++) {
    const power = random.pick([1, 10, 100, 1000]);
    for (let step = 0; step < stepsOfHost; step++) {
      all.push({ host, ts: step * 10, value: (random.below(20_000) - 5000) / power });
    }
  }
  return all;
}

const aggregates = ['sum', 'avg', 'min', 'max', 'increase', 'rate', 'integral', 'delta'];
const columns = `${aggregates.map((name) => `${name}(value)`).join(', ')}, sum(value * 0.1)`;
const always = 'time >= 0 and time < 1000000';
const queries = [
  `select ${columns} from m where ${always}`,
  `select sum(value), avg(value) from m where ${always}`,
  `select time_bucket(70, time) as t, ${columns} from m where ${always} group by t`,
  `select tag.host, ${columns} from m where time >= 15 and time < 2500 group by tag.host`,
  `select value > 3 as high, ${columns} from m where ${always} group by high`,
];

type Way = (storage: Storage, all: readonly Sample[], random: Random) => Promise<void>;

/** The ways in which the same samples may lie. */
const ways: readonly Way[] = [
  async (storage, all) => {
    await store(storage, all);
  },
  async (storage, all) => {
    await store(storage, all);
    await storage.flush();
  },
  async (storage, all) => {
    for (let at = 0; at < 7; at++) {
      await store(
        storage,
        all.filter((_, index) => index % 7 === at),
      );
      await storage.flush();
    }
  },
  async (storage, all, random) => {
    const half = Math.floor(all.length * random.unit());
    await store(storage, all.slice(half).reverse());
    await storage.flush();
    await store(storage, all.slice(0, half + 10));
  },
];

describe(`sums and bounds, seed ${testSeed}`, () => {
  after(removeDirectories);

  async function answers(
    store: (storage: Storage) => Promise<void>,
    texts: readonly string[],
  ): Promise<Record<'legacy' | 'compiled', Value[][][]>> {
    const storage = await openNativeStorage(optionsFor(freshDirectory()), addonPath);
    await store(storage);
    const engines = new Engines(storage);
    const found: Record<'legacy' | 'compiled', Value[][][]> = { legacy: [], compiled: [] };
    for (const text of texts) {
      for (const mode of ['legacy', 'compiled'] as const) {
        const { rows, stats, columns: code } = await engines.answer(text, mode);
        assert.isNotNull(stats, `${code}: ${text}`);
        if (mode === 'compiled') assert.strictEqual(stats.legacy_fallback, false, text);
        found[mode].push(rows.map((row) => [...row]));
      }
    }
    await storage.close();
    return found;
  }

  it('are equal to the bit in both engines, for decimals of any size', async () => {
    const random = new Random(testSeed);
    const all = decimals(random);
    let first: Value[][][] | null = null;
    for (const way of ways) {
      const found = await answers((storage) => way(storage, all, random), queries);
      first ??= found.legacy;
      assert.deepEqual(found.legacy, first);
      assert.deepEqual(found.compiled, first);
    }
    assert.lengthOf(first ?? [], queries.length);
    assert.isAbove(first?.[2]?.length ?? 0, 40);
  });

  it('order -0 below +0, whichever came first', async () => {
    const text = `select min(value), max(value) from m where ${always}`;
    for (const values of [
      [0, -0],
      [-0, 0],
      [0.1, 0, -0],
      [0.1, -0, 0],
      [-0.1, 0, -0],
      [-0.1, -0, 0],
    ]) {
      const least = Math.min(...values);
      const greatest = Math.max(...values);
      for (const isOneHost of [true, false]) {
        const samples = values.map((value, at) => ({ host: isOneHost ? 1 : at, ts: at, value }));
        for (const way of ways.slice(0, 3)) {
          const found = await answers((storage) => way(storage, samples, new Random(1)), [text]);
          for (const rows of [found.legacy[0], found.compiled[0]]) {
            const [row] = rows ?? [];
            assert.isTrue(Object.is(row?.[0], least), `least of ${values.join(' ')}`);
            assert.isTrue(Object.is(row?.[1], greatest), `greatest of ${values.join(' ')}`);
          }
        }
      }
    }
  });
});
