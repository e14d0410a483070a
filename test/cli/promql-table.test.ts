import { assert } from 'chai';

import { linesOf, seriesText } from '../../src/cli/querying/promql-rows.js';
import { printAnswerTable } from '../../src/cli/querying/promql-table.js';

import type { PromqlAnswer, PromqlSeries } from '../../src/client/client.js';

const none = { warnings: [], infos: [] };

function matrixOf(count: number): PromqlAnswer {
  const result = Array.from({ length: count }, (_, at): PromqlSeries => ({
    metric: { job: `job ${at}` },
    values: [[at, at / 2]],
  }));
  return { resultType: 'matrix', result, ...none };
}

describe('PromQL answers as text', () => {
  it('name series in selector syntax', () => {
    const named: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{}, '{}'],
      [{ __name__: 'up' }, 'up'],
      [{ __name__: 'up', job: 'a"b', 'host.name': 'x' }, 'up{"host.name"="x", job="a\\"b"}'],
      [{ __name__: 'cpu.load', job: 'a' }, '{"cpu.load", job="a"}'],
      [{ job: 'a' }, '{job="a"}'],
    ];
    for (const [metric, text] of named) assert.strictEqual(seriesText(metric), text);
  });

  it('put few series side by side, and many or wide ones below each other', () => {
    assert.strictEqual(
      printAnswerTable(matrixOf(2), null),
      'TIME                      {job="job 0"}  {job="job 1"}\n' +
        '1970-01-01T00:00:00.000Z              0              -\n' +
        '1970-01-01T00:00:01.000Z              -            0.5\n',
    );
    const long =
      'JOB    TIME                      VALUE\n' +
      'job 0  1970-01-01T00:00:00.000Z      0\n' +
      'job 1  1970-01-01T00:00:01.000Z    0.5\n';
    assert.strictEqual(printAnswerTable(matrixOf(2), 50), long);
    assert.match(printAnswerTable(matrixOf(9), null), /^JOB {4}TIME .*VALUE\njob 0 /);
  });

  it('print NaN and infinities like Prometheus, and a dash for a missing label', () => {
    const result = [
      { metric: { __name__: 'a', zone: 'x' }, value: [1, Infinity] as const },
      { metric: { job: '' }, value: [1, NaN] as const },
    ];
    assert.strictEqual(
      printAnswerTable({ resultType: 'vector', result, ...none }, null),
      '__NAME__  JOB  ZONE  VALUE\na         -    x      +Inf\n-              -       NaN\n',
    );
  });

  it('draw lines with gaps for steps without a value', () => {
    const values = [
      [1, 5],
      [2, 6],
      [5, 7],
      [6, Infinity],
    ] as const;
    assert.deepEqual(linesOf([{ metric: {}, values }], 1000), [
      {
        name: '{}',
        points: [
          { time: 1000, value: 5 },
          { time: 2000, value: 6 },
          { time: 3000, value: null },
          { time: 5000, value: 7 },
          { time: 6000, value: null },
        ],
      },
    ]);
  });
});
