/**
 * The cost of hostile texts up to the limit is proportional to their length, whatever the result.
 */

import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { printResult } from '../../src/query/seriesql/result/format.js';
import { runQuery } from '../../src/query/seriesql/run-query.js';
import { cpuTimer } from '../support/cpu-time.js';
import { hostileShapes } from '../support/hostile-texts.js';
import { engineOptions, memorySource } from '../support/memory-target.js';

const source = memorySource();
source.add('m', [['host', 'a']], [{ time: 1n, value: 1 }]);

/** The CPU time of one run in milliseconds. */
async function cost(text: string): Promise<number> {
  const ms = cpuTimer();
  try {
    const query = await runQuery(text, engineOptions(source));
    // The format that repeats column names most.
    for await (const piece of printResult(query, 'ndjson')) {
      expect(piece).to.be.instanceOf(Uint8Array);
    }
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
  }
  return ms();
}

// Twice the time, with room for noise; quadratic work takes four times as long.
const isInProportion = (half: number, whole: number) => whole <= 3 * half + 30 && whole < 500;

describe('hostile text', () => {
  for (const [name, make] of Object.entries(hostileShapes)) {
    it(`of ${name} costs in proportion to its length`, async () => {
      // The minimum of several runs of each: other processes only add time.
      let [half, whole] = [Infinity, Infinity];
      for (let run = 0; run < 3 || (run < 12 && !isInProportion(half, whole)); run++) {
        half = Math.min(half, await cost(make(32_000)));
        whole = Math.min(whole, await cost(make(64_000)));
      }
      expect(isInProportion(half, whole), `${half} ms, of twice the text ${whole} ms`).to.equal(
        true,
      );
    });
  }
});
