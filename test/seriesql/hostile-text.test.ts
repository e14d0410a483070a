/** Hostile texts up to the limit cost time in proportion to their length, whatever they end in. */

import { expect } from 'chai';

import { AppError } from '../../src/errors/app-error.js';
import { printResult } from '../../src/seriesql/result/format.js';
import { runQuery } from '../../src/seriesql/run-query.js';
import { hostileShapes } from '../support/hostile-texts.js';
import { engineOptions, memorySource } from '../support/memory-target.js';

const source = memorySource();
source.add('m', [['host', 'a']], [{ time: 1n, value: 1 }]);

/** The least CPU time of three runs in milliseconds, so that other work adds little. */
async function cost(text: string): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    try {
      const query = await runQuery(text, engineOptions(source));
      // The form that makes the most of the columns' names.
      for await (const piece of printResult(query, 'ndjson')) {
        expect(piece).to.be.instanceOf(Uint8Array);
      }
    } catch (error) {
      expect(error).to.be.instanceOf(AppError);
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

describe('hostile text', () => {
  for (const [name, make] of Object.entries(hostileShapes)) {
    it(`of ${name} costs in proportion to its length`, async () => {
      const half = await cost(make(32_000));
      const whole = await cost(make(64_000));
      // Twice, with room for noise; what grows with the square takes four times as long.
      expect(whole).to.be.below(3 * half + 30);
      expect(whole).to.be.below(500);
    });
  }
});
