/**
 * Statements that differ in FROM and WHERE alone share what was planned of the first: it must be
 * what each would have got by itself, errors included.
 */
import { assert } from 'chai';

import { toAppError } from '../../src/errors/app-error.js';
import { Evaluator } from '../../src/seriesql/plan/evaluate.js';
import { PreparedStatements, type Prepared } from '../../src/seriesql/prepared.js';
import { likeStatement } from '../support/like-statements.js';
import { Random, testSeed } from '../support/random.js';

const evaluator = new Evaluator('ms');

describe(`statements that differ in FROM and WHERE (seed ${testSeed})`, () => {
  const moment = (now: bigint) => ({ unit: 'ms', now, evaluator }) as const;
  const planned = (by: PreparedStatements, text: string, now: bigint): Prepared | string => {
    try {
      return by.plan(by.parse(text), moment(now));
    } catch (error) {
      return toAppError(error).message;
    }
  };

  it('are planned as each would be by itself', () => {
    const random = new Random(testSeed);
    const shared = new PreparedStatements();
    let likeCount = 0;
    let errorCount = 0;
    for (let round = 0; round < 6000; round++) {
      const text = likeStatement(random);
      const now = BigInt(random.below(1_000_000));
      const got = planned(shared, text, now);
      const alone = planned(new PreparedStatements(), text, now);
      if (typeof got === 'string' || typeof alone === 'string') {
        assert.strictEqual(got, alone, text);
        errorCount += 1;
        continue;
      }
      assert.deepEqual(got.plan, alone.plan, text);
      if (got.like !== null) likeCount += 1;
    }
    assert.isAbove(likeCount, 300);
    assert.isAbove(errorCount, 300);
  });

  it('are not alike where the time is read outside of WHERE, or a row is filtered', () => {
    const shared = new PreparedStatements();
    const isLike = (text: string): boolean => {
      const found = planned(shared, text, 1n);
      return typeof found !== 'string' && found.like !== null;
    };
    assert.isFalse(isLike('select max(value) from m where time > 1'));
    assert.isTrue(isLike("select max(value) from n{a='b'} where time > now() - 5m"));
    assert.isFalse(isLike('select max(value) from n where time > 1 and value > 2'));
    assert.isFalse(isLike('select max(value), now() from n where time > 1'));
    assert.isFalse(isLike('select max(value), now() from n where time > 2'));
  });
});
