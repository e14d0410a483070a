import { assert } from 'chai';

import { AppError } from '../../../src/common/errors/app-error.js';
import { kErrorsMax } from '../../../src/query/seriesql/plan/check/error-list.js';

import { planned, problemsOf } from './planned.js';

describe('the errors of a statement', () => {
  it('are all reported, each with its position', () => {
    const text = 'select valu, foo(1)\nfrom m where time >= 0 order by 7';
    let message = '';
    try {
      planned(text);
    } catch (error) {
      assert.instanceOf(error, AppError);
      assert.strictEqual(error.code, 'validation_failed');
      ({ message } = error);
    }
    assert.strictEqual(
      message,
      [
        'line 1, column 8: unknown column valu',
        '  select valu, foo(1)',
        '         ^',
        'hint: did you mean value?',
        'line 1, column 14: unknown function foo',
        '  select valu, foo(1)',
        '               ^',
        'hint: docs/seriesql.md lists the functions',
        'line 2, column 33: ORDER BY 7 is not a position: there are 2 items',
        '  from m where time >= 0 order by 7',
        '                                  ^',
      ].join('\n'),
    );
  });

  it('start with WHERE, then follow the order of the text', () => {
    assert.deepEqual(problemsOf("select foo, not 5, 'a' + 1 from m where tme > 0"), [
      'column 41: unknown column tme',
      'column 8: unknown column foo',
      'column 17: NOT needs a condition, not an integer',
      'column 20: + needs numbers, not text',
    ]);
  });

  it('exclude consequences of an earlier error', () => {
    const unknown = (column: number): string => `column ${column}: unknown column valu`;
    assert.deepEqual(problemsOf('select max(valu) > 1000 from m where time >= 0'), [unknown(12)]);
    assert.deepEqual(problemsOf('select max(valu) as a from m group by tag.x having a > 3'), [
      unknown(12),
    ]);
    assert.deepEqual(problemsOf('select time_bucket(valu, time) as t from m group by t'), [
      unknown(20),
    ]);
    assert.deepEqual(problemsOf('select lag(value, valu) from m where time >= 0'), [unknown(19)]);
    // The group keys and the time range are unknown in that case.
    assert.deepEqual(problemsOf('select value, count(*) from m group by valu'), [unknown(40)]);
    assert.deepEqual(problemsOf('select value from m where valu > 1'), [unknown(27)]);
  });

  it('are a single one without FROM', () => {
    assert.deepEqual(problemsOf('select time, value, max(value)'), ['column 8: time needs a FROM']);
  });

  it('cover every part of a condition, and every inserted row', () => {
    assert.deepEqual(problemsOf('select value from m where a > 1 and time > 5 and b'), [
      'column 27: unknown column a',
      'column 50: unknown column b',
    ]);
    assert.deepEqual(problemsOf("insert into m{a='1', a='2'} values (1.5, 1), (1, null)"), [
      'column 22: the label a occurs twice',
      'column 37: the time of a sample must be a whole number or a timestamp',
      'column 50: the value of a sample must be a number',
    ]);
  });

  it(`are at most ${kErrorsMax}`, () => {
    const items = (count: number): string => Array.from({ length: count }, () => 'x').join(', ');
    const query = (count: number): string => `select ${items(count)} from m where time >= 0`;
    assert.lengthOf(problemsOf(query(kErrorsMax)), kErrorsMax);
    assert.lengthOf(problemsOf(query(kErrorsMax + 1)), kErrorsMax);
  });
});
