/** What a panel is called until somebody renames it. */
import { assert } from 'chai';

import { titleOf } from '../../src/ui/data/panel-title.js';
import { oneMetric } from '../../src/ui/promql/one-metric.js';

describe('the title of a panel', () => {
  for (const [statement, title] of [
    ['select last(value) from cpu', 'select last(value) from cpu'],
    [
      'select time_bucket(1h, time) as t,\n  avg(value) from cpu.load{host="a"} group by t',
      'cpu.load',
    ],
    ['select time_bucket(1h, time) as t, avg(value) from "odd name" group by t', 'odd name'],
    [
      'select time, series_id, value, tag.host from by_id(1, 2, 3)',
      'select time, series_id, value,…',
    ],
    ['sum by (instance) (rate({"seriesdb_ingest_total"}[5m]))', 'sum by (instance)…'],
    [`x${'y'.repeat(99)}`, `x${'y'.repeat(39)}…`],
  ] as const) {
    it(`of ${statement.slice(0, 60)} is ${title}`, () => {
      assert.strictEqual(titleOf(statement), title);
    });
  }
});

describe('the metric of an expression', () => {
  for (const [text, metric] of [
    ['up', 'up'],
    ['sum by (job) (rate({"http.requests", a="b"}[5m])) / 2', 'http.requests'],
    ['max_over_time(up[5m:1m]) - up', 'up'],
    ['up / down', null],
    ['{job="a"}', null],
    ['{__name__=~"u.*"}', null],
    ['1 + 1', null],
    ['up +', null],
    [`${'up + '.repeat(20_000)}up`, null],
  ] as const) {
    it(`${text.slice(0, 60)} is ${String(metric)}`, () => {
      assert.strictEqual(oneMetric(text), metric);
    });
  }
});
