/** The page's analysis of PromQL, without a browser. */

import { assert } from 'chai';

import { linesOf, readAnswer } from '../../src/ui/promql/answer.js';
import { csvOfAnswer } from '../../src/ui/promql/answer-csv.js';
import { faultsIn, readFaults } from '../../src/ui/promql/faults.js';
import { piecesOf } from '../../src/ui/promql/pieces.js';
import { onlyMetricIn, placeIn } from '../../src/ui/promql/place.js';
import { questionOf, stepMs } from '../../src/ui/promql/question.js';

const looksOf = (text: string): readonly string[] =>
  piecesOf(text).map(({ start, end, look }) => `${look} ${text.slice(start, end)}`);

describe('PromQL in the editor', () => {
  it('distinguishes functions, labels, texts and comments', () => {
    assert.deepEqual(looksOf('sum by (job) (rate(up{a="b"}[5m])) # c'), [
      ...['function sum', 'keyword by', 'column job', 'function rate', 'column a', 'text "b"'],
      ...['number 5m', 'remark # c'],
    ]);
    assert.deepEqual(looksOf('rate + up{a="b'), ['column a', 'text "b']);
  });

  it('knows what belongs at each position', () => {
    const kinds = [
      ...[
        ['', 'operand'],
        ['rate(', 'operand'],
        ['1 + ra', 'operand'],
        ['up ', 'operator'],
      ],
      ...[
        ['sum ', 'operator'],
        ['up[', 'length'],
        ['up[5', 'length'],
        ['up offset ', 'length'],
      ],
      ...[
        ['sum by (', 'grouping'],
        ['sum by (a, b', 'grouping'],
        ['up{', 'label'],
      ],
      ...[
        ['up{a="b", c', 'label'],
        ['up{a=', 'value'],
        ['up{a=~"b', 'value'],
        ['up{a ', 'nothing'],
      ],
      ...[
        ['up # a', 'nothing'],
        ['up ; a', 'nothing'],
        ['"a', 'nothing'],
        ['12', 'nothing'],
      ],
    ] as const;
    for (const [text, kind] of kinds) assert.strictEqual(placeIn(text).kind, kind, text);
  });

  it('knows the matchers typed so far', () => {
    const wanted = { metric: 'a.b', labels: { c: 'd"' }, key: 'g', part: 'h', quote: "'" };
    const place = placeIn(`sum({"a.b", c="d\\"", e=~"f", g='h`);
    assert.deepEqual({ ...place }, { kind: 'value', ...wanted });
    assert.strictEqual(onlyMetricIn('sum by () (rate(up{a="b"}[5m]) / up)'), 'up');
    assert.strictEqual(onlyMetricIn('sum({"a.b"})'), 'a.b');
    assert.isNull(onlyMetricIn('up + down'));
  });

  it('locates errors by byte columns', () => {
    const text = '{a="ä😀"} + rte(up)';
    const [fault] = faultsIn(text);
    assert.deepInclude(fault, { place: 'line 1, column 12', meant: 'rate' });
    assert.strictEqual(text.slice(fault?.span.from, fault?.span.to), 'rte');
    assert.lengthOf(readFaults('no place', text), 0);
  });
});

describe('an answer as a file', () => {
  const told = { warnings: [], infos: [] };

  it('has a row for each value, with its labels, its time and all its digits', () => {
    const text = csvOfAnswer({
      ...{ ...told, resultType: 'matrix' },
      result: [
        { metric: { job: 'a,b', __name__: 'up' }, values: [[1.5, 1 / 3]] },
        {
          metric: { __name__: 'up', host: '' },
          values: [
            [0, NaN],
            [15, -Infinity],
          ],
        },
      ],
    });
    assert.deepEqual(text.split('\r\n'), [
      '__name__,host,job,time,value',
      'up,,"a,b",1970-01-01T00:00:01.500Z,0.3333333333333333',
      'up,"",,1970-01-01T00:00:00Z,NaN',
      'up,"",,1970-01-01T00:00:15Z,-Inf',
      '',
    ]);
  });

  it('has a single value without labels', () => {
    const text = csvOfAnswer({ ...told, resultType: 'scalar', result: [60, 2] });
    assert.strictEqual(text, 'time,value\r\n1970-01-01T00:01:00Z,2\r\n');
  });
});

describe('a PromQL request', () => {
  const wish = { nowMs: 1_000_000_000, zone: 'UTC', isRange: true, step: null };

  it('has at most 301 steps, and the last is the end', () => {
    for (const window of ['15m', '1h', '6h', '24h', '7d', '30d', '1000d']) {
      const question = questionOf('up', { ...wish, window });
      assert.isNotNull(question);
      assert.strictEqual(question.endMs, wish.nowMs);
      const { startMs, step } = question.range ?? { startMs: 0, step: '' };
      const count = (question.endMs - startMs) / stepMs(step);
      assert.isTrue(Number.isInteger(count) && count <= 300, window);
    }
    const hour = questionOf('up', { ...wish, window: '1h' });
    assert.deepEqual(hour?.range, { startMs: wish.nowMs - 3_600_000, step: '15s' });
    assert.isNull(questionOf('up', { ...wish, window: 'all' }));
  });

  it('has the chosen step, counted from the end', () => {
    const { nowMs } = wish;
    const own = questionOf('up', { ...wish, window: '1h', step: '7m' });
    assert.deepEqual(own?.range, { startMs: nowMs - 8 * 420_000, step: '7m' });
    const long = questionOf('up', { ...wish, window: '1h', step: '1h30m' });
    assert.deepEqual(long?.range, { startMs: nowMs, step: '1h30m' });
    assert.isNull(questionOf('up', { ...wish, window: '1h', step: '7m', isRange: false })?.range);
  });
});

describe('a PromQL answer', () => {
  const told = { warnings: [], infos: [] };

  it('is a row for each series, the name first', () => {
    const metric = { __name__: 'up', a: 'b' };
    const other = { Z: 'c' };
    const result = [
      { metric, value: [1, Infinity] as const },
      { metric: other, value: [1, 2] as const },
    ];
    const { table } = readAnswer({ resultType: 'vector', result, ...told });
    const names = table.columns.map(({ name }) => name);
    assert.deepEqual(names, ['__name__', 'Z', 'a', 'value']);
    assert.deepEqual(table.rows, [
      ['up', null, 'b', Infinity],
      [null, 'c', null, 2],
    ]);
  });

  it('is a line for each series, broken at missing steps', () => {
    const values = [
      [60, 1],
      [120, NaN],
      [240, 4],
    ] as const;
    const result = [{ metric: { a: 'b' }, values }];
    const answer = readAnswer({ resultType: 'matrix', result, ...told });
    assert.deepEqual(answer.table.rows, [['b', 4, 1, 2.5, 4, 3n]]);
    const times = { startMs: 60_000, endMs: 300_000, stepSeconds: 60 };
    const lines = linesOf(answer.series, { unit: 's', ...times });
    assert.isObject(lines);
    if (typeof lines === 'string') return;
    const [line] = lines.lines.values();
    assert.deepEqual(Array.from(line?.xs ?? []), [0, 60, 180]);
    assert.strictEqual(line?.gapTicks, 90);
    assert.deepEqual(lines.window, { start: 60n, end: 300n });
  });
});
