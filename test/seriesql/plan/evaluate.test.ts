import { assert } from 'chai';

import { plannedSelect } from './planned.js';

import type { Value } from '../../../src/query/values/value.js';

/** The value of a constant, which the checker folds. */
function valueOf(text: string): Value | undefined {
  const [item] = plannedSelect(`select ${text}`).items;
  return item?.kind === 'column' && item.expr.kind === 'literal' ? item.expr.value : undefined;
}

describe('constants', () => {
  it('are folded with the semantics of row evaluation', () => {
    const cases: readonly (readonly [string, Value])[] = [
      ['1 + 2 * 3', 7n],
      ['7 / 2', 3.5],
      ['-7 % 3', -1n],
      ['1 / 0', null],
      ['9223372036854775807 + 1', null],
      ['null and false', false],
      ['null or false', null],
      ['1 in (2, null)', null],
      ['not (1 > 2)', true],
      ["'web' like 'w%'", true],
      ["cast('12' as integer) + 1", 13n],
      ["case when 1 > 2 then 'a' end", null],
      ['time_bucket(10, 25)', 20n],
      ['now()', 1000n],
    ];
    for (const [text, wanted] of cases) assert.strictEqual(valueOf(text), wanted, text);
  });
});
