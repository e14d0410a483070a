/** A bound token sees the same as if only its label's data had ever been written. */
import { assert } from 'chai';

import { BoundStore } from '../../../src/storage/bound-store.js';
import { openNativeStorage } from '../../../src/storage/native-storage.js';
import { addonPath, freshDirectory, optionsFor, removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines } from './engines.js';
import { randomDelete, randomLines, randomQuery } from './query-maker.js';
import { assertSame } from './worlds.js';

import type { LabelPairs } from '../../../src/common/model/selector.js';
import type { SeriesStore, Storage } from '../../../src/storage/storage.js';

const worlds = 4;
const queriesOfWorld = 150;
const labelsOf = (tenant: string): LabelPairs => [['tenant', tenant]];

const open = (): Promise<Storage> => openNativeStorage(optionsFor(freshDirectory()), addonPath);

async function write(store: SeriesStore, lines: string): Promise<void> {
  const request = store.beginIngest({ precision: 'ms', isLenient: false });
  request.write(Buffer.from(lines));
  await request.commit();
}

/** One database with tenant a alone, and one with other tenants too. */
class World {
  readonly alone: Storage;
  readonly mixed: Storage;
  readonly ofA: SeriesStore;
  readonly ofB: SeriesStore;
  readonly enginesAlone: Engines;
  readonly enginesOfA: Engines;

  constructor(alone: Storage, mixed: Storage) {
    this.alone = alone;
    this.mixed = mixed;
    this.ofA = new BoundStore(mixed, labelsOf('a'));
    this.ofB = new BoundStore(mixed, labelsOf('b'));
    this.enginesAlone = new Engines(new BoundStore(alone, labelsOf('a')));
    this.enginesOfA = new Engines(this.ofA);
  }

  async grow(random: Random): Promise<void> {
    const lines = randomLines(random);
    await write(new BoundStore(this.alone, labelsOf('a')), lines);
    await write(this.ofA, lines);
    await write(this.ofB, random.chance(0.5) ? lines : randomLines(random));
    await write(this.mixed, random.chance(0.5) ? lines : randomLines(random));
    if (random.chance(0.5)) await this.mixed.flush();
  }
}

const idsOf = async (store: SeriesStore): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const source of ['cpu.*', 'requests_total', 'odd']) {
    const { rows } = await new Engines(store).answer(`show series from ${source}`, 'legacy');
    ids.push(...rows.map(([id]) => String(id)));
  }
  return ids;
};

const everything = async (store: SeriesStore): Promise<string> => {
  const engines = new Engines(store);
  const answers = [];
  for (const id of await idsOf(store)) {
    answers.push(
      await engines.print(
        `select * from by_id(${id}) where time >= -1000000000000000`,
        'csv',
        true,
      ),
    );
  }
  return answers.join('\n');
};

describe('a store bound to a label', () => {
  after(removeDirectories);

  it(`answers random statements like a store of its own, seed ${testSeed}`, async function () {
    this.timeout(120_000);
    let rows = 0;
    for (let at = 0; at < worlds; at++) {
      const random = new Random(testSeed + at);
      const world = new World(await open(), await open());
      for (let batch = 0; batch < 3; batch++) await world.grow(random);
      const { enginesAlone, enginesOfA } = world;
      // Includes ids of others, which do not exist for this token.
      const ids = ['77', ...(await idsOf(world.mixed)), ...(await idsOf(world.alone))];
      const ofOthers = await everything(world.ofB);
      for (let query = 0; query < queriesOfWorld; query++) {
        if (random.chance(0.02)) await world.mixed.flush();
        const made = random.chance(0.05) ? randomDelete(random) : randomQuery(random);
        const some = Array.from({ length: 1 + random.below(4) }, () => random.pick(ids));
        const text = made.replaceAll('by_id(?)', `by_id(${some.join(', ')})`);
        const mode = random.pick(['legacy', 'compiled'] as const);
        const wanted = await enginesAlone.answer(text, mode);
        assertSame(text, wanted, await enginesOfA.answer(text, mode));
        rows += wanted.rows.length;
      }
      assert.isNotEmpty(ofOthers);
      assert.strictEqual(await everything(world.ofB), ofOthers);
      await world.alone.close();
      await world.mixed.close();
    }
    assert.isAbove(rows, worlds * queriesOfWorld);
  });
});
