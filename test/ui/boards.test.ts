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
      'select time, series_id, value, tag.host…',
    ],
    ['sum by (instance) (rate({"seriesdb_ingest_total"}[5m]))', 'sum by (instance)…'],
    [`x${'y'.repeat(99)}`, `x${'y'.repeat(39)}…`],
    [`${'x'.repeat(39)}😀${'y'.repeat(9)}`, `${'x'.repeat(39)}…`],
    [`${'x'.repeat(38)}😀${'y'.repeat(9)}`, `${'x'.repeat(38)}😀…`],
  ] as const) {
    it(`of ${statement.slice(0, 60)} is ${title}`, () => {
      assert.strictEqual(titleOf(statement), title);
    });
  }
});

describe('the metric of an expression', () => {
  for (const [text, metric] of [
    ['up', 'all of up'],
    ['sum by (job) ({"http.requests"}) / 2', 'all of http.requests'],
    ['sum by (job) ({"http.requests", a="b"}) / 2', 'some of http.requests'],
    ['up - on () up{job="a"}', 'some of up'],
    ['topk(scalar(up), -(up))', 'all of up'],
    ['topk(scalar(down), up)', null],
    ['up / down', null],
    ['rate(up[5m])', null],
    ['count_over_time(up[1d]) > 1e9', null],
    ['max_over_time(up[5m:1m]) - up', null],
    ['up offset 1d', null],
    ['up offset -1d', null],
    ['up @ 5', null],
    ['sum(up @ end()) - up', null],
    ['absent(up)', null],
    ['absent_over_time(up[1d])', null],
    ['{job="a"}', null],
    ['{__name__=~"u.*"}', null],
    ['1 + 1', null],
    ['up +', null],
    [`${'up + '.repeat(20_000)}up`, null],
  ] as const) {
    it(`${text.slice(0, 60)} is ${String(metric)}`, () => {
      const found = oneMetric(text);
      const part = found?.isWhole === true ? 'all' : 'some';
      assert.strictEqual(found && `${part} of ${found.metric}`, metric);
    });
  }
});
