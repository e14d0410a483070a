/** Answers as lines of a chart: which columns are what, and what cannot be drawn. */

import { assert } from 'chai';

import { linesOf, type ResultLines } from '../../src/ui/ask/result-lines.js';

import type { QueryResult, QueryValue } from '../../src/client/client.js';

const answer = (types: Readonly<Record<string, string>>, ...rows: QueryValue[][]): QueryResult => ({
  columns: Object.entries(types).map(([name, type]) => ({ name, type, nullable: true })),
  ...{ rows, stats: {} },
});

function drawn(result: QueryResult): ResultLines {
  const found = linesOf(result);
  if (typeof found === 'string') assert.fail(found);
  return found;
}

const pointsOf = (found: ResultLines) =>
  found.ranked.map(({ id, labels }) => {
    const line = found.lines.get(id);
    return [Object.values(labels).join(' '), [...(line?.xs ?? [])], [...(line?.last ?? [])]];
  });

describe('lines of an answer', () => {
  it('are of each number and each combination of texts, in the order of time', () => {
    const types = { t: 'timestamp', host: 'string', low: 'float', n: 'integer' };
    const found = drawn(
      answer(types, [30n, 'a', 3, 7n], [10n, 'a', 1.5, 5n], [10n, null, 9, null]),
    );
    assert.deepEqual(found.window, { start: 10n, end: 30n });
    assert.deepEqual(pointsOf(found), [
      ['a low', [0, 20], [1.5, 3]],
      ['a n', [0, 20], [5, 7]],
      ['∅ low', [0], [9]],
    ]);
    const [low] = found.ranked;
    assert.deepInclude(low, { lo: 1.5, hi: 3, mean: 2.25, latest: 3, n: 2 });
    assert.strictEqual(found.sharing, 0);
  });

  it('use the series id as a name, and ignore further time columns', () => {
    const types = { time: 'timestamp', series_id: 'integer', value: 'float', seen: 'timestamp' };
    const found = drawn(answer(types, [1n, 7n, 1, 5n], [1n, 8n, 2, 5n]));
    assert.deepEqual(pointsOf(found), [
      ['7 value', [0], [1]],
      ['8 value', [0], [2]],
    ]);
  });

  it('have the minimum and maximum of values at one time, and count them', () => {
    const found = drawn(
      answer({ time: 'timestamp', value: 'float' }, [1n, 5], [1n, 2], [1n, 3], [2n, 4]),
    );
    const [line] = [...found.lines.values()];
    assert.deepEqual([...(line?.min ?? [])], [2, 4]);
    assert.deepEqual([...(line?.max ?? [])], [5, 4]);
    assert.deepEqual([...(line?.mean ?? [])], [10 / 3, 4]);
    assert.strictEqual(found.sharing, 2);
  });

  it('count times exactly from the first one, even in nanoseconds', () => {
    const first = 1_795_227_120_000_000_001n;
    const types = { time: 'timestamp', value: 'duration' };
    const found = drawn(answer(types, [first + 3n, 1n], [first, 2n]));
    assert.deepEqual([...([...found.lines.values()][0]?.xs ?? [])], [0, 3]);
    assert.isTrue(found.areDurations);
  });

  it('are absent without rows, a time or a number, with a message', () => {
    const whole = { t: 'timestamp', v: 'float' };
    const bare: readonly (readonly [QueryResult, RegExp])[] = [
      [answer(whole), /no rows/],
      [answer({ v: 'float' }, [1]), /needs a column of times/],
      [answer({ t: 'timestamp', series_id: 'integer' }, [1n, 1n]), /needs a column of numbers/],
      [answer(whole, [null, 1]), /needs times/],
      [answer(whole, [1n, null]), /needs numbers/],
    ];
    for (const [result, sentence] of bare) {
      const found = linesOf(result);
      if (typeof found !== 'string') assert.fail('it has lines');
      assert.match(found, sentence);
    }
  });
});
