import { assert } from 'chai';

import { newCounters } from '../../../src/query/seriesql/execute/execution.js';
import { Guard } from '../../../src/query/limits/guard.js';
import { newRun } from '../../../src/query/seriesql/execute/run.js';
import { interpretSelect } from '../../../src/query/seriesql/interpret/select.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { memorySource, roomyLimits } from '../../support/memory-target.js';
import { plannedSelect } from '../plan/planned.js';

import type { ResultRow } from '../../../src/query/seriesql/execute/execution.js';

describe('the interpreter', () => {
  const source = memorySource();
  source.add(
    'm',
    [['h', 'a']],
    [1, 2, 3, 4].map((at) => ({ time: BigInt(at), value: at * 10 })),
  );
  source.add(
    'm',
    [['h', 'b']],
    [2, 4].map((at) => ({ time: BigInt(at), value: at })),
  );

  async function rowsOf(text: string): Promise<readonly ResultRow[]> {
    const evaluator = new Evaluator('ms');
    const guard = new Guard(roomyLimits);
    const run = newRun({ source, evaluator, guard, counters: newCounters() });
    const rows: ResultRow[] = [];
    const execution = await interpretSelect(run, plannedSelect(text));
    for await (const batch of execution.rows) rows.push(...batch);
    return rows;
  }

  it('merges series by time and then by id', async () => {
    assert.deepEqual(await rowsOf('select time, tag.h from m where time between 2 and 4'), [
      ...[
        [2n, 'a'],
        [2n, 'b'],
        [3n, 'a'],
        [4n, 'a'],
      ],
      [4n, 'b'],
    ]);
  });

  it('runs windows per series before the merge, and filters before windows', async () => {
    assert.deepEqual(
      await rowsOf('select tag.h, lag(value) from m where value != 20 and time > 0'),
      [
        ['a', null],
        ['b', null],
        ['a', 10],
        ['a', 30],
        ['b', 2],
      ],
    );
  });

  it('groups, drops groups by HAVING, orders and limits in that order', async () => {
    const groups = 'select tag.h, sum(value) as s, count(*) from m where time > 0 group by 1';
    assert.deepEqual(await rowsOf(`${groups} order by s`), [
      ['b', 6, 2n],
      ['a', 100, 4n],
    ]);
    assert.deepEqual(await rowsOf(`${groups} having s > 10 order by s limit 1`), [['a', 100, 4n]]);
    assert.deepEqual(await rowsOf(`${groups} order by s limit 1 offset 1`), [['a', 100, 4n]]);
  });

  it('returns one row for no samples, and none with GROUP BY', async () => {
    assert.deepEqual(await rowsOf('select count(*), max(value) from m where time > 9'), [
      [0n, null],
    ]);
    assert.deepEqual(await rowsOf('select count(*) from m where time > 9 group by tag.h'), []);
  });

  it('checks which series have a sample if only labels are selected', async () => {
    assert.deepEqual(await rowsOf('select tag.h from m'), [['a'], ['b']]);
    assert.deepEqual(await rowsOf('select tag.h from m where time = 3'), [['a']]);
  });

  describe('for NaN values', () => {
    source.add(
      'odd',
      [],
      [NaN, 4, -Infinity, 2, Infinity].map((value, at) => ({ time: BigInt(at), value })),
    );
    source.add('none', [], [{ time: 1n, value: NaN }]);

    it('shows null, for which no comparison is true', async () => {
      const rows = [[null], [4], [null], [2], [null]];
      assert.deepEqual(await rowsOf('select value from odd where time >= 0'), rows);
      const where = 'select value from odd where time >= 0 and';
      assert.deepEqual(await rowsOf(`${where} value != 4`), [[2]]);
      assert.deepEqual(await rowsOf(`${where} not (value > 3)`), [[2]]);
      assert.lengthOf(await rowsOf(`${where} value is null`), 3);
    });

    it('leaves them out of aggregates, and counts their rows', async () => {
      const all =
        'select count(*), count(value), avg(value), first(value), last(value), max_time(value), ' +
        'stddev(value) is null, delta(value), count(distinct value)';
      assert.deepEqual(await rowsOf(`${all} from odd where time >= 0`), [
        [5n, 2n, 3, 4, 2, 1n, false, -2, 2n],
      ]);
      assert.deepEqual(await rowsOf(`${all} from none where time >= 0`), [
        [1n, 0n, null, null, null, null, true, null, 0n],
      ]);
    });

    it('groups them separately', async () => {
      assert.deepEqual(
        await rowsOf('select value > 3 as high, count(*) from odd where time >= 0 group by high'),
        [
          [false, 1n],
          [true, 1n],
          [null, 3n],
        ],
      );
    });
  });
});
