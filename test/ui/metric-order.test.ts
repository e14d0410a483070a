/** The order of the list of metrics. */

import { assert } from 'chai';

import { inOrder, printOrder, readOrder, turned } from '../../src/ui/data/metric-order.js';

import type { MetricDescriptor } from '../../src/client/client.js';

const metric = (name: string, more: Partial<MetricDescriptor>): MetricDescriptor => ({
  ...{ metric: name, kind: 'gauge', label_keys: [], series_count: 1, first_ts: 0n, last_ts: 0n },
  ...more,
});

const metrics = [
  metric('a2', { last_ts: 5n, unit: 'bytes', series_count: 30 }),
  metric('a10', { last_ts: 2n ** 60n + 1n, kind: 'counter', series_count: 4 }),
  metric('b', { last_ts: null, unit: 'percent', series_count: 100 }),
  metric('c', { last_ts: 2n ** 60n, unit: 'bytes' }),
];

describe('the order of metrics', () => {
  const orders = [
    ['-seen', 'a10 c a2 b'],
    ['seen', 'b a2 c a10'],
    ['metric', 'a2 a10 b c'],
    ['-metric', 'c b a10 a2'],
    ['-series', 'b a2 a10 c'],
    ['unit', 'a10 a2 c b'],
    ['-unit', 'b a2 c a10'],
    ['kind', 'a10 a2 b c'],
  ] as const;
  for (const [text, wanted] of orders) {
    it(`by ${text} is ${wanted}, equals by name`, () => {
      const order = readOrder(text);
      if (order === null) throw Error('it is none');
      assert.strictEqual(printOrder(order), text);
      const names = inOrder(metrics, order).map(({ metric: name }) => name);
      assert.strictEqual(names.join(' '), wanted);
    });
  }

  it('is absent for an invalid URL value', () => {
    for (const text of [null, '', '-', 'hi', '-n', 'toString']) assert.isNull(readOrder(text));
  });

  it('starts with the largest and the newest, and can be reversed', () => {
    const byName = { column: 'metric', isDown: false } as const;
    assert.deepEqual(turned(byName, 'series'), { column: 'series', isDown: true });
    assert.deepEqual(turned(byName, 'unit'), { column: 'unit', isDown: false });
    assert.deepEqual(turned(byName, 'metric'), { column: 'metric', isDown: true });
  });
});
