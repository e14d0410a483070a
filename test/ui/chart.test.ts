/** The parts of charts that need no browser: bucket widths, lines, axes, colours, time ranges. */

import { assert } from 'chai';

import { stylesOf } from '../../src/ui/chart/colours.js';
import {
  flat,
  gapOf,
  merged,
  nearestPlace,
  placeFrom,
  placesWithin,
  type ChartLine,
} from '../../src/ui/chart/lines.js';
import { thinned } from '../../src/ui/chart/thinned.js';
import { timeMarks } from '../../src/ui/chart/time-axis.js';
import { windowWords } from '../../src/ui/look/window-words.js';
import { moved, pixelOf, rounded, tsAt, zoomed } from '../../src/ui/chart/time-scale.js';
import { logMarks, valueMarks, valueRange } from '../../src/ui/chart/value-axis.js';
import { CsvColumns } from '../../src/ui/data/csv-columns.js';
import { widthFor } from '../../src/ui/ladder.js';
import { dataRows } from '../../src/ui/look/data-rows.js';
import { windowFor } from '../../src/ui/look/fitting-window.js';
import { Random, testSeed } from '../support/random.js';

const lineOf = (xs: readonly number[], values = xs, gapTicks = 10): ChartLine => ({
  ...{ id: '1', xs: Float64Array.from(xs), gapTicks },
  ...flat(Float64Array.from(values)),
});

describe('bucket widths', () => {
  it('are the narrowest round ones that fit into the pixels and the row limit', () => {
    const day = { unit: 'ms', span: 86_400_000, columns: 1_000, lines: 20 } as const;
    assert.deepEqual(widthFor(day), { text: '5m', ticks: 300_000 });
    assert.strictEqual(widthFor({ ...day, lines: 100 }).text, '5m');
    assert.strictEqual(widthFor({ ...day, least: 400_000 }).text, '10m');
    assert.strictEqual(widthFor({ ...day, span: 300 }).text, '1ms');
    assert.strictEqual(widthFor({ ...day, unit: 's', span: 10 }).text, '1s');
    assert.strictEqual(widthFor({ ...day, unit: 'ns', span: 15_000 }).text, '50ns');
    assert.strictEqual(widthFor({ ...day, span: 2_000 * 86_400_000 }).text, '1w');
    assert.strictEqual(widthFor({ ...day, span: 10_000 * 86_400_000 }).text, '1mo');
    assert.match(widthFor({ ...day, span: 1e17 }).text, /y$/);
  });
});

describe('answers as CSV', () => {
  const text =
    'series_id,t,max\n18446744073709551615,9007199254740993,1.5\r\n"a, ""b""\nc",-3,\n,0,-1e-7\n';

  it(`are parsed to numbers, however they are split (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    const bytes = new TextEncoder().encode(text);
    for (let round = 0; round < 200; round += 1) {
      const columns = new CsvColumns(['key', 'time', 'value'], 9_007_199_254_740_992n);
      for (let at = 0; at < bytes.length;) {
        const end = Math.min(bytes.length, at + 1 + random.below(9));
        columns.add(bytes.subarray(at, end));
        at = end;
      }
      const { keys, numbers, rowCount } = columns.finish();
      assert.strictEqual(rowCount, 3);
      assert.deepEqual(keys, ['18446744073709551615', 'a, "b"\nc', '']);
      assert.strictEqual(numbers[1]?.[0], 1);
      assert.deepEqual([...(numbers[2] ?? [])], [1.5, NaN, -1e-7]);
    }
  });

  it('have room for any number of rows', () => {
    const columns = new CsvColumns(['time'], 0n);
    const rows = Array.from({ length: 5_000 }, (_, at) => at);
    columns.add(new TextEncoder().encode(`t\n${rows.join('\n')}`));
    assert.deepEqual([...(columns.finish().numbers[0] ?? [])], rows);
  });
});

describe('lines', () => {
  it('break at unusually long gaps', () => {
    const dense = { widthTicks: 60, samples: 100 };
    assert.strictEqual(gapOf(Float64Array.of(0, 60, 120), dense), 90);
    assert.strictEqual(gapOf(Float64Array.of(0, 60, 180), { widthTicks: 60, samples: 3 }), 360);
    const together = { widthTicks: 30, samples: 900 };
    assert.strictEqual(gapOf(Float64Array.of(0, 120, 240), together), 360);
    assert.strictEqual(gapOf(Float64Array.of(0, 7, 14, 500), { widthTicks: null, samples: 4 }), 21);
    assert.strictEqual(gapOf(Float64Array.of(5), { widthTicks: null, samples: 1 }), Infinity);
  });

  it('have a value only near a sample', () => {
    const line = lineOf([0, 10, 50]);
    assert.strictEqual(placeFrom(line.xs, 11), 2);
    assert.strictEqual(nearestPlace(line, 4), 0);
    assert.strictEqual(nearestPlace(line, 6), 1);
    assert.isNull(nearestPlace(line, 30));
    assert.isNull(nearestPlace(lineOf([]), 30));
  });

  it('replace the last bucket and drop points outside of the window', () => {
    const joined = merged(lineOf([0, 10, 20]), lineOf([20, 30], [7, 8]), 10);
    assert.deepEqual([...joined.xs], [10, 20, 30]);
    assert.deepEqual([...joined.max], [10, 7, 8]);
    assert.deepEqual([...merged(lineOf([0, 10]), lineOf([]), -1).xs], [0, 10]);
  });
});

describe('downsampled points', () => {
  const look = { origin: 1_000n, span: [0, 1_000], columns: 100, ticks: 60 } as const;

  it('are unchanged if each has a pixel', () => {
    const line = lineOf(Array.from({ length: 100 }, (_, at) => at * 10));
    assert.strictEqual(thinned(line, look), line);
  });

  it(`lose no extreme, and keep their mean (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 50; round += 1) {
      const xs = Array.from({ length: 300 }, (_, at) => at * 3 + random.below(3));
      const values = xs.map(() => (random.below(20) === 0 ? NaN : random.below(1_000)));
      const { mean, min, max, last, ...line } = thinned(lineOf(xs, values, 20), look);
      assert.strictEqual(line.gapTicks, 90);
      line.xs.forEach((x, at) => {
        assert.strictEqual((x + 1_000) % 60, 0);
        const inside = values.filter((value, place) => {
          const away = (xs[place] ?? NaN) - x;
          return away >= 0 && away < 60 && !Number.isNaN(value);
        });
        assert.strictEqual(min[at], Math.min(...inside));
        assert.strictEqual(max[at], Math.max(...inside));
        assert.strictEqual(last[at], inside.at(-1));
        const sum = inside.reduce((one, two) => one + two, 0);
        assert.closeTo(mean[at] ?? NaN, sum / inside.length, 1e-9);
      });
    }
  });
});

describe('a line of buckets', () => {
  const xs = Float64Array.from([-5, 5, 15, 25, 35]);

  it('passes through the buckets that lie entirely in the window', () => {
    assert.deepEqual(placesWithin({ xs }, [0, 5], [0, 30]), [1, 4]);
    assert.deepEqual(placesWithin({ xs }, [2, 5], [0, 35]), [2, 5]);
    assert.deepEqual(placesWithin({ xs }, [0, 5], [5, 15]), [1, 3]);
  });

  it('passes through all buckets if none or all are complete', () => {
    assert.deepEqual(placesWithin({ xs }, [0, 5], [26, 34]), [0, 5]);
    assert.deepEqual(placesWithin({ xs }, [0, 5], null), [0, 5]);
  });
});

describe('ten series', () => {
  it('have ten different stroke styles', () => {
    const styles = [...stylesOf(Array.from({ length: 10 }, (_, at) => String(at * 7))).values()];
    const looks = new Set(styles.map(({ colour, dash }) => `${colour} ${dash}`));
    assert.lengthOf([...looks], 10);
  });
});

describe('the time axis', () => {
  const clock = { unit: 'ms', zone: 'Europe/Berlin' } as const;
  const marks = (from: string, to: string, count = 8) => {
    const origin = BigInt(Date.parse(from));
    const span = { origin, from: 0, to: Date.parse(to) - Date.parse(from) };
    return timeMarks(span, clock, count).map(({ label, below }) => `${label} ${below}`.trim());
  };

  it('has ticks at round times of the zone, and names a new day', () => {
    assert.deepEqual(marks('2026-11-20T21:00:00Z', '2026-11-21T03:00:00Z', 6), [
      ...['22:00 Fri 20 Nov', '23:00', '00:00 Sat 21 Nov', '01:00', '02:00', '03:00', '04:00'],
    ]);
    assert.deepEqual(marks('2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.004Z', 4), [
      ...[
        '01:00:00.000 2026-11-20',
        '01:00:00.001',
        '01:00:00.002',
        '01:00:00.003',
        '01:00:00.004',
      ],
    ]);
    assert.deepEqual(marks('2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z', 4), [
      ...['2 Nov 2026', '3 Nov', '4 Nov', '5 Nov'],
    ]);
    assert.deepEqual(marks('2025-11-15T00:00:00Z', '2026-03-15T00:00:00Z', 4), [
      ...['Dec', 'Jan 2026', 'Feb', 'Mar'],
    ]);
  });

  it('follows local time across clock changes', () => {
    assert.deepEqual(marks('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 4), [
      ...['00:00 Sun 29 Mar +01:00', '06:00 +02:00', '12:00', '18:00', '00:00 Mon 30 Mar'],
    ]);
    assert.deepEqual(marks('2026-03-29T00:00:00Z', '2026-03-29T02:00:00Z', 2), [
      ...['01:00 Sun 29 Mar +01:00', '03:00 +02:00', '04:00'],
    ]);
  });

  it('shows the repeated hour twice, with both offsets', () => {
    assert.deepEqual(marks('2026-10-24T22:00:00Z', '2026-10-25T03:00:00Z', 6), [
      ...['00:00 Sun 25 Oct', '01:00', '02:00 +02:00', '02:00 +01:00', '03:00', '04:00'],
    ]);
    // Also where the second of them is earlier on the clock than the beginning.
    assert.deepEqual(marks('2026-10-25T00:30:00Z', '2026-10-25T01:20:00Z', 5), [
      ...['02:30 Sun 25 Oct', '02:40', '02:50 +02:00', '02:00 +01:00', '02:10', '02:20'],
    ]);
    const clocks = { unit: 'ms', zone: 'Europe/Berlin' } as const;
    const at = (text: string): bigint => BigInt(Date.parse(text));
    const stretch = { start: at('2026-10-24T22:00:00Z'), end: at('2026-10-25T03:00:00Z') };
    const wanted = '2026-10-25 00:00 +02:00 – 04:00 +01:00';
    assert.strictEqual(windowWords(stretch, clocks), wanted);
  });

  it('has no more ticks than fit, at any length', () => {
    for (let exponent = 1; exponent < 17; exponent += 1) {
      const span = { origin: 1_795_251_600_000_000_000n, from: 0, to: 10 ** exponent };
      const found = timeMarks(span, { unit: 'ns', zone: 'UTC' }, 10);
      assert.isAtMost(found.length, 12, String(exponent));
      assert.isAtLeast(found.length, 1, String(exponent));
    }
  });
});

describe('the value axis', () => {
  it('has a margin, and starts at zero on request', () => {
    assert.deepEqual(valueRange({ min: 0, max: 100 }, null), [0, 106]);
    assert.deepEqual(valueRange({ min: 50, max: 100 }, '0'), [0, 106]);
    assert.deepEqual(valueRange({ min: 5, max: 5 }, null), [4.5, 5.5]);
    assert.deepEqual(valueRange({ min: 0, max: 0 }, null), [-1, 1]);
    assert.deepEqual(valueRange(null, null), [0, 1]);
    assert.isAbove(valueRange({ min: 0, max: 100 }, 'log')[0], 0);
  });

  it('has ticks at round values', () => {
    const decimal = { count: 5, isBinary: false };
    assert.deepEqual(valueMarks([0, 1], decimal), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(valueMarks([-3, 7], decimal), [-2, 0, 2, 4, 6]);
    assert.deepEqual(valueMarks([0, 4_096], { count: 4, isBinary: true }), [
      ...[0, 1_024, 2_048, 3_072, 4_096],
    ]);
    assert.deepEqual(logMarks([0.5, 2_000]), [1, 10, 100, 1_000]);
  });

  it('of a duration has ticks at round time units', () => {
    const clock = { count: 4, isBinary: false, perSecond: 1 };
    assert.deepEqual(valueMarks([0, 3_600], clock), [0, 900, 1_800, 2_700, 3_600]);
    assert.deepEqual(
      valueMarks([0, 3_600_000], { ...clock, perSecond: 1_000 }),
      [0, 900_000, 1_800_000, 2_700_000, 3_600_000],
    );
    assert.deepEqual(valueMarks([0, 0.4], clock), [0, 0.1, 0.2, 0.3, 0.4]);
    assert.deepEqual(
      valueMarks([0, 8 * 86_400], clock),
      [0, 2, 4, 6, 8].map((d) => d * 86_400),
    );
  });

  const largest = Number.MAX_VALUE;
  const extents = [
    ...[1.7e308, largest, 1e308, 5e-324, 1e-310, 1].map((max) => ({ min: max, max })),
    ...[largest, -1, 5e-324].map((max) => ({ min: -largest, max })),
    ...[1.7e308, 1e-320].map((max) => ({ min: 5e-324, max })),
  ];
  for (const extent of extents) {
    it(`has finite ends and few ticks, from ${extent.min} to ${extent.max}`, () => {
      for (const scale of ['log', '0', null, `${extent.min}..${extent.max}`] as const) {
        const range = valueRange(extent, scale);
        const told = `${String(scale)}: ${range.join(' to ')}`;
        assert.isTrue(Number.isFinite(range[1] - range[0]) && range[0] <= range[1], told);
        assert.isAtMost(logMarks(range).length, 30, told);
        for (const isBinary of [false, true]) {
          assert.isAtMost(valueMarks(range, { count: 5, isBinary }).length, 101, told);
        }
      }
    });
  }
  it('has no logarithmic ticks for values without a logarithm', () => {
    for (const range of [
      [0, 10],
      [-1, 10],
      [1, Infinity],
      [NaN, 10],
    ] as const) {
      assert.deepEqual(logMarks(range), []);
    }
  });

  it('has distinct tick labels for large values in a narrow range', () => {
    const marks = valueMarks([1e15, 1e15 + 4], { count: 4, isBinary: false });
    assert.deepEqual(
      marks,
      [0, 1, 2, 3, 4].map((more) => 1e15 + more),
    );
  });
});

describe('the time scale', () => {
  const scale = { start: 1_000n, end: 2_000n, left: 60, width: 500 };

  it('converts times to pixels and back', () => {
    assert.strictEqual(pixelOf(scale, 1_500n), 250);
    assert.strictEqual(tsAt(scale, 250), 1_500n);
    assert.strictEqual(pixelOf(scale, 500n), -250);
  });

  it("pans, zooms about a point, and rounds to a pixel's time", () => {
    assert.deepEqual(moved(scale, 0.5), { start: 1_500n, end: 2_500n });
    assert.deepEqual(zoomed(scale, 2), { start: 500n, end: 2_500n });
    assert.deepEqual(zoomed(scale, 0.5, 0), { start: 1_000n, end: 1_500n });
    assert.deepEqual(rounded({ start: 123_456n, end: 623_456n }, 500), {
      ...{ start: 123_000n, end: 623_000n },
    });
    assert.deepEqual(rounded({ start: 7n, end: 7n }, 500), { start: 7n, end: 8n });
  });
});

describe('line colours', () => {
  it('differ while enough colours exist, and stay when other lines go', () => {
    const ids = Array.from({ length: 20 }, (_, at) => String(1_000 + at * 37));
    const eight = [...stylesOf(ids.slice(0, 8)).values()];
    assert.strictEqual(new Set(eight.map(({ colour }) => colour)).size, 8);
    const all = [...stylesOf(ids).values()].map(({ colour, dash }) => `${colour} ${dash}`);
    assert.strictEqual(new Set(all).size, 20);
    assert.deepEqual(stylesOf(ids.slice(0, 3)), stylesOf(ids.slice(0, 3).reverse()));
  });
});

describe('the initial window of a metric', () => {
  const now = { unit: 's', zone: 'UTC', nowMs: 1_000_000_000 } as const;

  it('fits old data, and is live for data still being written', () => {
    const old = windowFor(null, { first_ts: 0n, last_ts: 50_000n }, now);
    assert.deepEqual(old, { start: 0n, end: 50_000n, endsNow: false });
    const dense = windowFor(null, { first_ts: 0n, last_ts: 50_000n }, { ...now, most: 21_600n });
    assert.deepEqual(dense, { start: 28_400n, end: 50_000n, endsNow: false });
    const young = windowFor(null, { first_ts: 999_000n, last_ts: 999_999n }, now);
    assert.deepEqual(young, { start: 999_000n, end: 1_000_000n, endsNow: true });
    const all = windowFor('all', { first_ts: 3n, last_ts: 3n }, now);
    assert.deepEqual(all, { start: 3n, end: 4n, endsNow: false });
    assert.strictEqual(windowFor('6h', { first_ts: 3n, last_ts: 3n }, now).end, 1_000_000n);
  });
});

describe('the rows of a picture', () => {
  const ground = { origin: 0n, clock: { unit: 's', zone: 'UTC' } } as const;

  it('contain gaps, and fold into hours without losing an extreme', () => {
    const line = lineOf([0, 60, 120, 3_000, 3_600], [1, 9, -4, 2, 5], 90);
    const drawn = dataRows([line], 'drawn', ground);
    assert.deepEqual(
      drawn.filter(({ holeUntil }) => holeUntil !== null).map(({ x, holeUntil }) => [x, holeUntil]),
      [
        [120, 3_000],
        [3_000, 3_600],
      ],
    );
    const hours = dataRows([line], 'hour', ground);
    assert.deepEqual(
      hours.map(({ x, cells }) => [x, cells[0]]),
      [
        [0, { mean: null, min: -4, max: 9, last: 2 }],
        [3_600, { mean: 5, min: 5, max: 5, last: 5 }],
      ],
    );
  });
});
