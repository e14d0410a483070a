import { assert } from 'chai';

import { bytecodeOf } from '../../../src/query/seriesql/explain/bytecode.js';
import { planLines } from '../../../src/query/seriesql/explain/print.js';
import { plannedSelect } from '../plan/planned.js';

describe('a plan as text', () => {
  const text =
    'select tag.a, percentile(value, 0.5) as p from m where value > 1 and time > 0 ' +
    'group by 1 having count(distinct tag.b) > 2 order by p desc limit 3';

  it('has one step per line, from the last to the first', () => {
    assert.deepEqual(
      planLines(plannedSelect(text)).map((line) => line.trim()),
      [
        'limit 3',
        'sort by percentile(value, 0.5) desc',
        'project tag.a as tag.a, percentile(value, 0.5) as p',
        'having (count(distinct tag.b) > 2)',
        'group by tag.a: percentile(value, 0.5), count(distinct tag.b)',
        'filter (value > 1)',
        'samples at [1, +inf]',
        'select series of m',
      ],
    );
  });

  it('as bytecode has operands before their operator, and an end', () => {
    const ops = bytecodeOf(plannedSelect('select -value from m where time > 0')).map(
      ({ op }) => op,
    );
    assert.deepEqual(ops, ['SELECT_SERIES', 'SCAN', 'LOAD', 'NEGATE', 'EMIT', 'HALT']);
  });
});
