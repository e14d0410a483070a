import { assert } from 'chai';

import { mixtureRules, readRules } from '../../../src/query/seriesql/plan/rules/select-rules.js';

import { problemsOf } from './planned.js';

/** A statement that breaks each rule, with what is said, and one that just keeps it. */
const cases: readonly (readonly [broken: string, problem: string, kept: string])[] = [
  ['select *', 'column 8: * needs a FROM', 'select * from m where time >= 0'],
  [
    'select * from m where time >= 0 group by tag.a',
    'column 8: * cannot be combined with GROUP BY',
    'select tag.a from m where time >= 0 group by tag.a',
  ],
  [
    'select lag(value), max(value) from m where time >= 0',
    'column 1: windows and groups cannot be mixed',
    'select lag(value), value from m where time >= 0',
  ],
  [
    'select value from m where time >= 0 having value > 1',
    'column 44: HAVING needs GROUP BY or an aggregate',
    'select max(value) from m where time >= 0 having max(value) > 1',
  ],
  ['select 1 group by 2 + 3', 'column 19: GROUP BY needs a FROM', 'select 1'],
  [
    'select tag.a from m where time between 0 and 9 group by tag.a fill(null)',
    'column 63: FILL needs exactly one time_bucket of time in GROUP BY',
    'select time_bucket(1m, time) as t from m where time between 0 and 9 group by t fill(null)',
  ],
  [
    'select time_bucket(1m, time) as t from m where time >= 0 group by t fill(null)',
    'column 69: FILL needs time bounded on both sides',
    'select time_bucket(1m, time) as t from m where time >= 0 group by t fill(none)',
  ],
  [
    'select time_bucket(1m, time) as t, max(tag.a) from m where time between 0 and 9 group by t fill(linear)',
    'column 92: FILL(LINEAR) needs numbers, but max is text',
    'select time_bucket(1m, time) as t, max(value) from m where time between 0 and 9 group by t fill(linear)',
  ],
  [
    'select value from m',
    'column 19: this reads samples without a bound on time',
    'select value from m where time < 5',
  ],
];

describe('the rules of a SELECT', () => {
  for (const [broken, problem, kept] of cases) {
    it(`reject a violation of one rule: ${problem.replace(/^column \d+: /, '')}`, () => {
      assert.deepEqual(problemsOf(broken), [problem], broken);
      assert.deepEqual(problemsOf(kept), [], kept);
    });
  }

  it('have a case each', () => {
    assert.lengthOf(cases, mixtureRules.length + readRules.length);
  });

  it('are all checked, unless one follows from another', () => {
    assert.deepEqual(problemsOf('select value, count(*) from m group by tag.a fill(1)'), [
      'column 8: value is neither grouped nor aggregated',
      'column 46: FILL needs exactly one time_bucket of time in GROUP BY',
    ]);
    assert.deepEqual(problemsOf('select value, tag.a, count(*) from m where time >= 0'), [
      'column 8: value is neither grouped nor aggregated',
      'column 15: tag.a is neither grouped nor aggregated',
    ]);
  });

  it('let only first and last read without a time bound, and without groups', () => {
    assert.deepEqual(problemsOf('select first(value), last(time) from m'), []);
    assert.lengthOf(problemsOf('select first(value), max(time) from m'), 1);
    assert.deepEqual(problemsOf('select max(time) from m group by tag.a'), []);
  });
});

describe('the rules of other statements', () => {
  const others: readonly (readonly [broken: string, problems: readonly string[]])[] = [
    ['explain explain select 1', ['column 9: EXPLAIN explains a statement, not another EXPLAIN']],
    ['explain analyze show metrics', ['column 17: EXPLAIN ANALYZE runs only a SELECT']],
    [
      'delete from m where value > 1 and time > 5',
      [
        'column 21: DELETE takes conditions on time and labels only',
        'column 21: DELETE needs time bounded on both sides',
      ],
    ],
    ['show metrics where value > 1', ['column 20: SHOW takes conditions on time and labels only']],
    ["insert into m{a='1', a='1'} values (1, 1)", ['column 22: the label a occurs twice']],
  ];
  for (const [broken, problems] of others) {
    it(`refuse ${broken}`, () => {
      assert.deepEqual(problemsOf(broken), problems);
    });
  }

  it('accept statements that barely comply', () => {
    for (const text of [
      'explain select 1',
      'explain analyze select 1',
      "delete from m where time between 1 and 2 and tag.a = 'x'",
      "show metrics where tag.a = 'x' and time > 1",
      "insert into m{a='1', b='1'} values (1, 1)",
    ]) {
      assert.deepEqual(problemsOf(text), [], text);
    }
  });
});
