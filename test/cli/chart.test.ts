/** Charts as text, dot by dot. */
import { assert } from 'chai';

import { printChart } from '../../src/cli/charting/chart.js';
import { linesOf } from '../../src/cli/querying/lines-of.js';

import type { DottedLine } from '../../src/cli/charting/line.js';

const lineOf = (name: string, values: readonly (number | null)[]): DottedLine => ({
  name,
  points: values.map((value, time) => ({ time, value })),
});
const draw = (lines: readonly DottedLine[], width: number | null = 60): readonly string[] =>
  printChart(lines, { width, timeText: (time) => `t${String(time)}` }).split('\n');

describe('command-line charts', () => {
  it('draw a rising line from lower left to upper right, in the requested width', () => {
    const text = draw([lineOf('up', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])], 43);
    assert.deepEqual([text[0], text.length], ['up', 15]);
    assert.match(text[1] ?? '', /^9 ┤ +\S*[⠁⠉⠊⠈⠋⠔⠒]$/);
    assert.match(text[12] ?? '', /^0 ┤[⣀⡠⡀⠤⡠⢀]/);
    assert.strictEqual(text[13], `   t0${' '.repeat(36)}t9`);
    assert.isAtMost(Math.max(...text.map((one) => one.length)), 43);
  });

  it('draw one value as a flat line, keep gaps, and report an empty answer', () => {
    const flat = draw([lineOf('flat', [5, 5, 5, 5, null, null, 5, 5])]);
    const drawn = flat.filter((one) => /[\u2801-\u28ff]/.test(one));
    assert.strictEqual(drawn.length, 1);
    assert.match(drawn[0] ?? '', /[\u2801-\u28ff] +[\u2801-\u28ff]/);
    const none = draw([
      lineOf(
        'none',
        Array.from({ length: 9 }, () => null),
      ),
    ]);
    assert.deepEqual(none, ['none', '  no values', '']);
  });

  it('draw the largest doubles', () => {
    const most = Number.MAX_VALUE;
    const text = draw([lineOf('wide', [-most, most, -most, most, 0, 0, 0, most])]);
    assert.match(text[1] ?? '', /^ 1\.7977e\+308 ┤/);
    assert.match(text[12] ?? '', /^-1\.7977e\+308 ┤[\u2801-\u28ff]/);
  });

  it('are rows of bars for many lines, few points, or little room', () => {
    const rising = [0, 1, 2, 3, 4, 5, 6, 7];
    const bars = [
      'LINE  VALUES    MIN  MAX  LAST',
      'a     ▁▂▃▄▅▆▇█    0    7     7',
      't0 … t7',
      '',
    ];
    assert.deepEqual(draw([lineOf('a', rising)], 39), bars);
    assert.strictEqual(draw([lineOf('a', [2, 0, 1])])[1], 'a     █▁▅       0    2     1');
    const many = draw(['a', 'b', 'c', 'd', 'e'].map((name) => lineOf(name, rising)));
    assert.strictEqual(many.length, 8);
    const hundreds = Array.from({ length: 102 }, (_, at) => lineOf(String(at), rising));
    assert.include(draw(hundreds), 'and 2 more lines');
  });

  it('escape control characters in names', () => {
    assert.match(draw([lineOf('a\u001b[2J', [1])])[1] ?? '', /^a\\u001b\[2J /);
  });
});

describe('the lines of an answer', () => {
  const columns = [
    { name: 'tag.host', type: 'string', nullable: true },
    { name: 'minute', type: 'timestamp', nullable: false },
    { name: 'load', type: 'float', nullable: true },
    { name: 'series_id', type: 'integer', nullable: false },
    { name: 'count', type: 'integer', nullable: false },
  ] as const;

  it('are one for each column of numbers and each group, ascending by time', () => {
    const rows = [
      ['a', 20n, 2, 7n, 1n],
      ['b', 10n, null, 8n, 1n],
      ['a', 10n, 1.5, 7n, 3n],
    ] as const;
    assert.deepEqual(linesOf({ columns, rows, stats: {} }), [
      {
        name: 'host=a series_id=7 load',
        points: [
          { time: 10, value: 1.5 },
          { time: 20, value: 2 },
        ],
      },
      {
        name: 'host=a series_id=7 count',
        points: [
          { time: 10, value: 3 },
          { time: 20, value: 1 },
        ],
      },
      { name: 'host=b series_id=8 load', points: [{ time: 10, value: null }] },
      { name: 'host=b series_id=8 count', points: [{ time: 10, value: 1 }] },
    ]);
  });

  it('have the name of their column without a group', () => {
    const plain = [columns[1], columns[2]];
    const [line] = linesOf({ columns: plain, rows: [[1n, 2]], stats: {} });
    assert.strictEqual(line?.name, 'load');
  });
});
