/** Long tables of the page: which rows are drawn. */

import { assert } from 'chai';

import { rangeInSight } from '../../src/ui/row-range.js';
import { Random, testSeed } from '../support/random.js';

describe('rows of a long table', () => {
  it('in view are rendered, with a margin, and the others only take up space', () => {
    const heights = Array.from({ length: 10_000 }, () => 40);
    const range = rangeInSight(heights, { top: 40_000, height: 800 });
    assert.isAtMost(range.end - range.first, 60);
    assert.isAtMost(range.first, 1_000);
    assert.isAtLeast(range.end, 1_020);
    assert.strictEqual(range.before, range.first * 40);
    assert.strictEqual(range.behind, (10_000 - range.end) * 40);
  });

  it(`take up the height of all rows at any scroll position (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 500; round += 1) {
      const heights = Array.from({ length: random.below(300) }, () => 20 + random.below(400));
      const all = heights.reduce((sum, one) => sum + one, 0);
      const sight = { top: random.below(all + 2_000) - 1_000, height: random.below(1_000) };
      const { first, end, before, behind } = rangeInSight(heights, sight);
      const drawn = heights.slice(first, end).reduce((sum, one) => sum + one, 0);
      assert.strictEqual(before + drawn + behind, all);
      let place = 0;
      heights.forEach((height, at) => {
        const isSeen = place + height > sight.top && place < sight.top + sight.height;
        if (isSeen) assert.isTrue(at >= first && at < end, `row ${at} of ${first} to ${end}`);
        place += height;
      });
    }
  });
});
