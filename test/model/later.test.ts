/** Later: which listeners a settled value calls, when, and with which arguments. */
import { setImmediate as turn } from 'node:timers/promises';

import { assert } from 'chai';

import { Later } from '../../src/common/model/later.js';

function toldOf<Value>(later: Later<Value>): unknown[] {
  const told: unknown[] = [];
  later.tell(
    (value) => {
      told.push(['done', value]);
    },
    (error) => {
      told.push(['failed', error]);
    },
  );
  return told;
}

describe('what comes later', () => {
  it('is told within the call that settles it, or within the one that asks', () => {
    const [early, late] = [new Later<number>(), new Later<number>()];
    late.settle(1);
    assert.deepEqual(toldOf(late), [['done', 1]]);
    const told = toldOf(early);
    assert.isEmpty(told);
    early.settle(2);
    assert.deepEqual(told, [['done', 2]]);
    const failed = new Later<number>();
    const error = new Error('no');
    const toldFailed = toldOf(failed);
    failed.fail(error);
    assert.deepEqual(toldFailed, [['failed', error]]);
  });

  it('becomes what is made of it, or what was thrown meanwhile', () => {
    const error = new Error('no');
    const asked = new Later<number>();
    const doubled = toldOf(asked.map((value) => value * 2));
    asked.settle(4);
    assert.deepEqual(doubled, [['done', 8]]);
    const thrown = Later.of(1).map(() => {
      throw error;
    });
    assert.deepEqual(toldOf(thrown), [['failed', error]]);
    const failing = new Later<number>();
    failing.fail(error);
    assert.deepEqual(toldOf(failing.map((value) => value * 2)), [['failed', error]]);
  });

  it('can be awaited, and be made of a promise', async () => {
    assert.strictEqual(await Later.of(3), 3);
    const error = new Error('no');
    const told = toldOf(Later.from(Promise.reject<number>(error)));
    assert.strictEqual(await Later.from(Promise.resolve(5)), 5);
    await turn();
    assert.deepEqual(told, [['failed', error]]);
    const failing = new Later<number>();
    failing.fail(error);
    assert.strictEqual(await failing.then(null, (caught) => caught), error);
  });
});
