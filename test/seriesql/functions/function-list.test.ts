import { assert } from 'chai';

import { functionList } from '../../../src/query/seriesql/functions/function-list.js';
import {
  distinctNames,
  functionNames,
  isAggregateName,
  isScalarName,
  isWindowName,
  starNames,
} from '../../../src/query/seriesql/functions/function-names.js';

describe('the list of functions', () => {
  const formsOf = (name: string): readonly string[] | undefined =>
    functionList.find((one) => one.name === name)?.forms;

  it('prints optional, repeated and alternative arguments', () => {
    assert.deepEqual(formsOf('abs'), ['abs(x)']);
    assert.deepEqual(formsOf('substr'), ['substr(text, start [, count])']);
    assert.deepEqual(formsOf('coalesce'), ['coalesce(x, …)']);
    assert.deepEqual(formsOf('count'), ['count(*)', 'count(x)', 'count(distinct x)']);
    assert.deepEqual(formsOf('percentile'), ['percentile(x, q)']);
    assert.deepEqual(formsOf('lag'), ['lag(x [, rows])']);
    assert.deepEqual(formsOf('ema'), ['ema(x, duration)']);
  });

  it('has every name once, with one kind', () => {
    const names = functionList.map(({ name }) => name);
    assert.lengthOf(new Set(names), names.length);
    assert.deepEqual(functionNames, [
      ...names,
      ...['time_bucket', 'now', 'today', 'yesterday', 'this_week', 'cast'],
    ]);
    for (const { name, kind } of functionList) {
      const kinds = [isScalarName(name), isAggregateName(name), isWindowName(name)];
      assert.deepEqual(kinds, [kind === 'scalar', kind === 'aggregate', kind === 'window'], name);
    }
    assert.isFalse(isScalarName('toString'));
    assert.deepEqual([starNames, distinctNames], [['count'], ['count']]);
  });
});
