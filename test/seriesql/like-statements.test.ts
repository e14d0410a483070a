/**
 * Statements that differ only in FROM and WHERE share the first one's plan. Each must get the
 * result it would get alone, errors included.
 */
import { assert } from 'chai';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { toAppError } from '../../src/common/errors/app-error.js';
import { Evaluator } from '../../src/query/seriesql/plan/evaluate.js';
import { PreparedStatements, type Prepared } from '../../src/query/seriesql/prepared.js';
import { likeStatement } from '../support/like-statements.js';
import { Random, testSeed } from '../support/random.js';

const evaluator = new Evaluator('ms');

describe(`statements that differ in FROM and WHERE (seed ${testSeed})`, () => {
  const moment = (now: bigint) => ({ unit: 'ms', now: databaseTime(now), evaluator }) as const;
  const planned = (by: PreparedStatements, text: string, now: bigint): Prepared | string => {
    try {
      return by.plan(by.parse(text), moment(now));
    } catch (error) {
      return toAppError(error).message;
    }
  };

  it('are planned like each alone', () => {
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

  it('obey the limits of a whole statement', () => {
    const doubled = (what: string, count: number): string =>
      `${'('.repeat(count)}${what}${') between true and true'.repeat(count)}`;
    const wide = (count: number): string =>
      `select ${doubled('value = 1', count)} from m where time > 1 and`;
    const narrow = Array.from({ length: 15 }, (_, count) => doubled("tag.host = 'a'", count));
    const [large, ...more] = ['a', 'b', 'c'].map((text) => `tag.host =~ '${text}{900}'`);
    let refusedCount = 0;
    for (const [around, wheres] of [
      ...[9, 10, 11, 12, 13].map((count) => [wide(count), narrow] as const),
      [`select value, ${large ?? ''} from m where time > 1 and`, [large, more.join(' and ')]],
      [
        'select value from m where time > 1 and',
        [large, more.join(' and '), [large, ...more].join(' and ')],
      ],
    ] as const) {
      const shared = new PreparedStatements();
      for (const where of wheres) {
        const got = planned(shared, `${around} ${where}`, 1n);
        const alone = planned(new PreparedStatements(), `${around} ${where}`, 1n);
        if (typeof alone === 'string') refusedCount += 1;
        if (typeof got === 'string' || typeof alone === 'string') {
          assert.strictEqual(got, alone, `${around} ${where}`);
        } else {
          assert.deepEqual(got.plan, alone.plan);
        }
      }
    }
    assert.isAbove(refusedCount, 5);
  });

  it('do not share a plan if time is read outside of WHERE, or rows are filtered', () => {
    const shared = new PreparedStatements();
    const isLike = (text: string): boolean => {
      const found = planned(shared, text, 1n);
      return typeof found !== 'string' && found.like !== null;
    };
    assert.isFalse(isLike('select max(value) from m where time > 1'));
    assert.isTrue(isLike("select max(value) from n{a='b'} where time > now() - 5m"));
    assert.isFalse(isLike('select max(value) from n where time > 1 and value > 2'));
    assert.isFalse(isLike("select min(value) from n{a=~'b'} where time > 1"));
    assert.isTrue(isLike("select min(value) from n{a=~'c'} where time > 2"));
    assert.isFalse(isLike('select max(value), now() from n where time > 1'));
    assert.isFalse(isLike('select max(value), now() from n where time > 2'));
  });
});
