import { assert } from 'chai';

import { histogramSamples, printFamilies, single } from '../../src/telemetry/exposition.js';
import { Latency, latencyBounds } from '../../src/telemetry/latency.js';
import { RequestMetrics } from '../../src/telemetry/request-metrics.js';
import { parseExposition, sampleOf } from '../support/exposition-parser.js';

const head = '# HELP a_total text\n# TYPE a_total counter\n';
const histogramHead = '# HELP h text\n# TYPE h histogram\n';

describe('the text format of Prometheus', () => {
  it('is printed as a strict reader wants it, whatever stands in labels and words', () => {
    const odd = 'a "quote", a \\ and\na line';
    const text = printFamilies([
      single('a_total', odd, 1e21),
      { name: 'b', type: 'gauge', help: 'b', samples: [{ labels: { l: odd }, value: -Infinity }] },
    ]);
    const families = parseExposition(text);
    assert.strictEqual(families.get('a_total')?.type, 'counter');
    assert.strictEqual(sampleOf(families, 'a_total'), 1e21);
    assert.strictEqual(sampleOf(families, 'b', { l: odd }), -Infinity);
  });

  it('counts each duration in the bucket whose bound is the first not below it', () => {
    const latency = new Latency();
    for (const seconds of [0, 0.0001, 0.00011, 10, 10.1]) latency.record(seconds);
    const samples = histogramSamples({ k: 'v' }, latencyBounds, latency);
    const family = { name: 'h', type: 'histogram', help: 'h', samples } as const;
    const families = parseExposition(printFamilies([family]));
    const below = (le: string): number => sampleOf(families, 'h_bucket', { k: 'v', le });
    assert.deepEqual([below('0.0001'), below('0.00025'), below('5')], [2, 3, 3]);
    assert.deepEqual([below('10'), below('+Inf')], [4, 5]);
    assert.strictEqual(sampleOf(families, 'h_count', { k: 'v' }), 5);
    assert.closeTo(sampleOf(families, 'h_sum', { k: 'v' }), 20.10021, 1e-9);
  });

  it('counts requests by route, method and status, and odd methods as one', () => {
    const metrics = new RequestMetrics();
    for (const method of ['GET', 'GET', 'BREW', 'SPY']) {
      metrics.record({ route: '/a', method, status: 200, seconds: 0.001 });
    }
    metrics.record({ route: '/a', method: 'GET', status: 404, seconds: 0.001 });
    metrics.record({ route: '/a', method: 'GET', status: 0, seconds: 0.001 });
    const counts = {
      name: 'c_total',
      type: 'counter',
      help: 'c',
      samples: metrics.counts(),
    } as const;
    const times = {
      name: 't',
      type: 'histogram',
      help: 't',
      samples: metrics.durations(),
    } as const;
    const families = parseExposition(printFamilies([counts, times]));
    const requests = (method: string, status: string): number =>
      sampleOf(families, 'c_total', { route: '/a', method, status });
    assert.deepEqual([requests('GET', '200'), requests('GET', '404')], [2, 1]);
    assert.deepEqual([requests('GET', '0'), requests('other', '200')], [1, 2]);
    const timed = (name: string): number =>
      sampleOf(families, 't_count', {
        route: '/a',
        method: 'GET',
        class: name,
      });
    assert.deepEqual([timed('2xx'), timed('4xx'), timed('gone')], [2, 1, 1]);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['a missing last newline', `${head}a_total 1`],
    ['a sample without a type', 'a_total 1\n'],
    ['a type without help', '# TYPE a_total counter\na_total 1\n'],
    ['a gauge with the name of a counter', '# HELP a_total t\n# TYPE a_total gauge\na_total 1\n'],
    ['a counter without _total', '# HELP a t\n# TYPE a counter\na 1\n'],
    ['a gauge that ends in _count', '# HELP a_count t\n# TYPE a_count gauge\na_count 1\n'],
    ['a family without samples', head],
    ['a sample twice', `${head}a_total 1\na_total 2\n`],
    ['a family twice', `${head}a_total 1\n${head}a_total 1\n`],
    ['a negative counter', `${head}a_total -1\n`],
    ['a counter that is no number', `${head}a_total NaN\n`],
    ['a label without quotes', `${head}a_total{a=1} 1\n`],
    ['a label twice', `${head}a_total{a="1",a="2"} 1\n`],
    ['a bad escape', `${head}a_total{a="\\x"} 1\n`],
    ['an empty line', `${head}\na_total 1\n`],
    ['another family below', `${head}b_total 1\n`],
    ['a histogram without +Inf', `${histogramHead}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    ['a histogram without a sum', `${histogramHead}h_bucket{le="+Inf"} 1\nh_count 1\n`],
    [
      'a histogram whose count is not the last bucket',
      `${histogramHead}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`,
    ],
    [
      'buckets that fall',
      `${histogramHead}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    ],
  ];
  for (const [what, text] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parseExposition(text));
    });
  }
});
