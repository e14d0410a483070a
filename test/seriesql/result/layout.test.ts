import { assert } from 'chai';

import { rowLayout, uniqueNames } from '../../../src/query/seriesql/result/layout.js';

import type { OutputColumn } from '../../../src/query/seriesql/plan/plan.js';

const columns = (...names: readonly string[]): readonly OutputColumn[] =>
  names.map((name) => ({ name, type: 'float', nullable: false }));

describe('the layout of rows', () => {
  it('numbers duplicate names, skipping names in use', () => {
    assert.deepEqual(uniqueNames(columns('a', 'a', 'a')), ['a', 'a_2', 'a_3']);
    assert.deepEqual(uniqueNames(columns('a', 'a_2', 'a')), ['a', 'a_2', 'a_3']);
  });

  it('puts names before the cells in NDJSON only', () => {
    assert.deepEqual(rowLayout('ndjson', columns('a', 'b')).before, ['{"a":', ',"b":']);
    assert.deepEqual(rowLayout('json', columns('a', 'b')).before, ['[', ',']);
    assert.deepEqual(rowLayout('csv', columns('a', 'b')).before, ['', ',']);
  });
});
