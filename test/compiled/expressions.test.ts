import { assert } from 'chai';

import { removeDirectories } from '../native/addon.js';
import { Random, testSeed } from '../support/random.js';

import { Engines } from './engines.js';
import { boolean } from './expression-maker.js';
import { randomTimes } from './query-maker.js';
import { assertSame, randomStorage } from './worlds.js';

const worlds = 4;
const queriesOfWorld = 150;
const sources = ['cpu.*', 'requests_total', 'odd', 'cpu.usage_user'];

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
});
