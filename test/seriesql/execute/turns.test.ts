import { assert } from 'chai';

import { Guard } from '../../../src/query/limits/guard.js';
import { inTurns, sortInTurns } from '../../../src/query/limits/turns.js';
import { Random, testSeed } from '../../support/random.js';
import { roomyLimits } from '../../support/memory-target.js';

describe('long work in turns', () => {
  it('sorts like a stable sort, however long the list', async () => {
    const random = new Random(testSeed);
    for (const count of [0, 1, 511, 512, 513, 5000]) {
      const items = Array.from({ length: count }, (_, at) => ({ key: random.below(50), at }));
      const wanted = items.toSorted((left, right) => left.key - right.key);
      const compare = (left: { key: number }, right: { key: number }): number =>
        left.key - right.key;
      assert.deepEqual(await sortInTurns(new Guard(roomyLimits), items, compare), wanted);
    }
  });

  it('processes every item once, in order', async () => {
    const seen: number[] = [];
    const items = Array.from({ length: 1000 }, (_, at) => at);
    await inTurns(new Guard(roomyLimits), items, (item) => seen.push(item));
    assert.deepEqual(seen, items);
  });

  it('ends when its query is cancelled', async () => {
    const guard = new Guard(roomyLimits);
    guard.cancel();
    const slowly = (): void => {
      const until = performance.now() + 2;
      while (performance.now() < until);
    };
    let error: unknown = null;
    await inTurns(guard, [1, 2, 3], slowly).catch((thrown: unknown) => {
      error = thrown;
    });
    assert.instanceOf(error, Error);
  });
});
