import { assert } from 'chai';

import { databaseTime } from '../../../src/common/model/timestamp-unit.js';
import { Random, testSeed } from '../../support/random.js';
import { plannedSelect } from './planned.js';

describe('the analysis of a condition', () => {
  it('selects series by labels, bounds time, and leaves the rest for each row', () => {
    const text = "tag.a = 'x' and time >= 5 and value > 1 and time < 9 and metric =~ 'm'";
    const { selection, intervals, filter } = plannedSelect(`select value from m where ${text}`);
    assert.deepEqual(selection?.terms, [
      { on: { kind: 'label', key: 'a' }, op: 'in', values: ['x'] },
      { on: { kind: 'metric' }, op: 'match', values: ['m'] },
    ]);
    assert.deepEqual(intervals, [{ start: databaseTime(5n), end: databaseTime(8n) }]);
    assert.strictEqual(filter?.kind, 'compare');
  });

  it('makes time ranges of "or" and "not", merged if they touch', () => {
    const times = (condition: string): unknown =>
      plannedSelect(`select tag.a from m where ${condition} group by 1`).intervals;
    assert.deepEqual(times('time < 3 or time between 3 and 5 or time > 8'), [
      { start: null, end: 5n },
      { start: 9n, end: null },
    ]);
    assert.deepEqual(times('not (time between 3 and 5)'), [
      { start: null, end: 2n },
      { start: 6n, end: null },
    ]);
    assert.deepEqual(times('time > 5 and time < 3'), []);
    assert.deepEqual(times('time > 1.5 and time <= 2.5'), [{ start: 2n, end: 2n }]);
  });

  it(`cuts many times out of a range, seed ${testSeed}`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 200; round += 1) {
      const parts = Array.from({ length: 1 + random.below(12) }, () => {
        const [a, b] = [random.below(13) - 6, random.below(13) - 6];
        return random.pick([
          { text: `time != ${a}`, has: (time: number) => time !== a },
          { text: `time not in (${a}, ${b})`, has: (time: number) => time !== a && time !== b },
          { text: `time >= ${a}`, has: (time: number) => time >= a },
          { text: `time in (${a}, ${b}, 3, 4)`, has: (t: number) => [a, b, 3, 4].includes(t) },
        ]);
      });
      const text = parts.map((part) => part.text).join(' and ');
      const { intervals } = plannedSelect(`select tag.a from m where ${text} group by 1`);
      for (let time = -8; time <= 8; time += 1) {
        const isIn = intervals.some(
          ({ start, end }) => (start ?? -99n) <= BigInt(time) && BigInt(time) <= (end ?? 99n),
        );
        assert.strictEqual(
          isIn,
          parts.every((part) => part.has(time)),
          `${text}, ${time}`,
        );
      }
    }
  });

  it('keeps comparisons between labels for each series', () => {
    const { selection, filter } = plannedSelect(
      'select value from m where tag.a < tag.b and time > 0',
    );
    assert.lengthOf(selection?.conditions ?? [], 1);
    assert.isNull(filter);
  });
});
