/** Figures of /metrics, as the page reads them. */

import { assert } from 'chai';

import { figureOf, quantileBetween, readExposition, risen } from '../../src/ui/exposition.js';
import { sparkPath, spreadPath } from '../../src/ui/spark-path.js';

const textOf = (counts: readonly number[], total: number): string =>
  [
    '# HELP a_total What it is',
    '# TYPE a_total counter',
    `a_total{route="/x\\"}",method="POST"} ${total}`,
    'a_total{route="/y"} 1',
    ...counts.map((count, at) => `d_bucket{s="w",le="${['0.1', '0.2', '+Inf'][at]}"} ${count}`),
    'd_bucket{s="other",le="0.1"} 500',
    'bare 2.5e3',
    'not a figure at all',
  ].join('\n');

describe("the server's metrics", () => {
  const before = readExposition(textOf([10, 10, 10], 100));
  const now = readExposition(textOf([20, 110, 110], 140));
  const question = { name: 'd', labels: { s: 'w' } };

  it('are parsed with their labels, and summed over the rows of a name', () => {
    assert.deepEqual(before.get('a_total')?.[0]?.labels, { route: '/x\\"}', method: 'POST' });
    assert.deepEqual([figureOf(before, 'a_total'), figureOf(before, 'bare')], [101, 2500]);
    assert.strictEqual(figureOf(before, 'absent'), 0);
  });

  it('increase between two polls, from zero after a restart', () => {
    assert.strictEqual(risen({ before, now }, 'a_total'), 40);
    assert.strictEqual(risen({ before: now, now: before }, 'a_total'), 101);
  });

  it('have quantiles of the interval between the polls only', () => {
    const half = quantileBetween({ before, now }, { ...question, quantile: 0.5 });
    assert.closeTo(half ?? 0, 0.1 + 0.1 * (40 / 90), 1e-9);
    assert.isNull(quantileBetween({ before, now: before }, { ...question, quantile: 0.5 }));
    const beyond = readExposition(textOf([10, 10, 99], 1));
    assert.strictEqual(
      quantileBetween({ before, now: beyond }, { ...question, quantile: 0.9 }),
      0.2,
    );
  });

  it('are drawn from zero to the highest of them', () => {
    const box = { width: 100, height: 20 };
    assert.strictEqual(sparkPath([0, 5, 10], box), 'M0.0 20.0L50.0 10.0L100.0 0.0');
    assert.strictEqual(sparkPath([0, 0], box), 'M0.0 20.0L100.0 20.0');
  });

  it('goes from the smallest to the largest value, and breaks at a long gap', () => {
    const box = { width: 100, height: 20 };
    assert.strictEqual(spreadPath([5, 6, 7], box), 'M0.0 20.0L50.0 10.0L100.0 0.0');
    assert.strictEqual(spreadPath([5, null, 7], box), 'M0.0 20.0L100.0 0.0');
    const apart = spreadPath([5, 6, null, null, null, 7], box);
    assert.strictEqual(apart, 'M0.0 20.0L20.0 10.0M100.0 0.0');
    assert.strictEqual(spreadPath([3, 3], box), 'M0.0 10.0L100.0 10.0');
  });
});
