import { killServers } from '../support/server.js';
import { testSeed } from '../support/random.js';

import { SoakRound } from './soak.js';

const seconds = Number(process.env['SDB_SOAK_SECONDS'] ?? 5);
const roundSeconds = 60;

describe('everything at once', () => {
  after(killServers);

  it(`reads, deletions, flushes and status beside ingest, ${String(seconds)} s, seed ${String(testSeed)}`, async function () {
    this.timeout((seconds + 300) * 1000);
    const end = performance.now() + seconds * 1000;
    for (let round = 0; performance.now() < end; round++) {
      const soak = new SoakRound(testSeed + round);
      // The last round is a whole one too: a shorter one might have nothing acknowledged.
      await soak.run(Math.min(seconds, roundSeconds) * 1000);
      if (soak.ledger.acknowledgedCount === 0) throw new Error('nothing was acknowledged');
      if (seconds > roundSeconds)
        console.log(`    round ${String(round)}: ${String(soak.requestCount)} requests`);
    }
  });
});
