/** Things that come and go, held against an array. */
import { assert } from 'chai';

import { Chain, type Link } from '../../src/common/model/chain.js';
import { Random, testSeed } from '../support/random.js';

class One implements Link<One> {
  before: One | null = null;
  after: One | null = null;
}

describe('a chain', () => {
  it(`has what was added and not deleted, in that order (seed ${String(testSeed)})`, () => {
    const random = new Random(testSeed);
    const chain = new Chain<One>();
    let expected: One[] = [];
    for (let round = 0; round < 2000; round += 1) {
      if (random.below(3) > 0 || expected.length > 20) {
        const [one] = expected.length === 0 ? [new One()] : [random.pick(expected)];
        assert.strictEqual(chain.delete(one), expected.includes(one));
        assert.isFalse(chain.delete(one));
        assert.deepEqual([one.before, one.after], [null, null]);
        expected = expected.filter((other) => other !== one);
      } else {
        const one = new One();
        chain.add(one);
        expected.push(one);
      }
      assert.strictEqual(chain.size, expected.length);
      const found = [...chain];
      assert.isTrue(found.every((one, at) => one === expected[at]));
      assert.lengthOf(found, expected.length);
    }
  });

  it('may lose the one that is visited', () => {
    const chain = new Chain<One>();
    const all = [new One(), new One(), new One()];
    for (const one of all) chain.add(one);
    const visited: One[] = [];
    for (const one of chain) {
      visited.push(one);
      chain.delete(one);
    }
    assert.isTrue(visited.every((one, at) => one === all[at]));
    assert.strictEqual(chain.size, 0);
  });
});
