/** Recorded answers of Prometheus 3.5.3 to random queries, against ours. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';

import { difference, type Asked } from './peer-cases.js';
import { randomSeries } from './random-data.js';
import { sentSeries } from './real-prometheus.js';
import { World, type PromAnswer } from './scripts/world.js';

interface Recorded extends PromAnswer {
  readonly path: Asked[0];
  readonly parameters: Asked[1];
}

// `node scripts/peers/record-answers.mjs` writes them.
const text = readFileSync('test/promql/recorded-answers.json', 'utf8');
const { seed, recorded } = JSON.parse(text) as {
  readonly seed: number;
  readonly recorded: readonly Recorded[];
};

describe('recorded answers of Prometheus', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await World.open();
    await world.write(sentSeries(randomSeries(seed)));
  });
  after(() => world.close());

  it('are many', () => {
    expect(recorded).to.have.length(500);
  });

  it('equal the answers of seriesdb', async () => {
    const differences: string[] = [];
    for (const { path, parameters, ...theirs } of recorded) {
      const asked = [path, parameters] as const;
      const found = difference(asked, await world.ask(...asked), theirs);
      if (found !== null) differences.push(found);
    }
    expect(differences).to.deep.equal([]);
  });
});
