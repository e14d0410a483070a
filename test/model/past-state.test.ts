import { assert } from 'chai';

import { parsePastState } from '../../src/common/model/past-state.js';

const now = Date.parse('2026-03-01T12:00:00Z');

const parsed = (text: string, unit: 's' | 'ms' | 'ns' = 'ms'): unknown =>
  parsePastState(text, unit, now);

describe('a state of the past', () => {
  it('is a name, a commit or a time, and may be a name and a time', () => {
    const state = { snapshot: null, edit: null, timeMs: null };
    assert.deepEqual(parsed('before'), { ...state, snapshot: 'before' });
    assert.deepEqual(parsed('@12'), { ...state, edit: 12n });
    const at = { ...state, timeMs: BigInt(Date.parse('2026-03-01T11:00:00Z')) };
    assert.deepEqual(parsed('2026-03-01T11:00:00Z'), at);
    assert.deepEqual(parsed('2026-03-01T12:00:00+01:00'), at);
    assert.deepEqual(parsed('now-60m'), { ...at, snapshot: 'now-60m' });
    assert.deepEqual(parsed('20260301'), { ...state, snapshot: '20260301', timeMs: 20_260_301n });
    assert.deepEqual(parsed('-5'), { ...state, timeMs: -5n });
    for (const text of ['', '@', '@x', '@-1', '@9223372036854775808', '../a', 'a b']) {
      assert.isNull(parsed(text), text);
    }
  });

  it('has the unit of the database, and is not later than now', () => {
    assert.deepInclude(parsed('7', 's'), { timeMs: 7000n });
    assert.deepInclude(parsed('7999999', 'ns'), { timeMs: 7n });
    assert.deepInclude(parsed('-1', 'ns'), { timeMs: -1n });
    assert.deepInclude(parsed('-9223372036854775808', 's'), { timeMs: -(2n ** 63n) });
    const fine = { timeMs: BigInt(Date.parse('2026-03-01T11:00:00.950Z')) };
    assert.deepInclude(parsed('2026-03-01T11:00:00.950Z', 's'), fine);
    assert.deepInclude(parsed('now-1ms', 's'), { timeMs: BigInt(now - 1) });
    assert.deepInclude(parsed('9007199254740991', 's'), { timeMs: BigInt(now) });
  });
});
