/** Comparisons of the page: the time shift, and the change. */

import { assert } from 'chai';

import {
  changeOf,
  differenceOf,
  hasFew,
  joined,
  roundedChange,
  totalOf,
  type MeasuredSeries,
} from '../../src/ui/comparison.js';
import { earlier, isShift, shiftWords } from '../../src/ui/shift.js';
import { printIso, printTime } from '../../src/ui/zone.js';

const clock = { unit: 'ms', zone: 'Europe/Berlin' } as const;

describe('a time shift', () => {
  const tsOf = (iso: string): bigint => BigInt(Date.parse(iso));
  // Clocks of Berlin went back on 25 October 2026 and forward on 29 March 2026.
  const moved = [
    ['2026-11-21T12:00:00.250Z', '7d', '2026-11-14 13:00:00.250 +01:00'],
    ['2026-10-28T11:00:00Z', '7d', '2026-10-21 12:00:00 +02:00'],
    ['2026-03-30T10:00:00Z', '1d', '2026-03-29 12:00:00 +02:00'],
    ['2026-03-30T00:30:00Z', '1d', '2026-03-29 03:30:00 +02:00'],
    ['2026-03-29T10:00:00Z', '1w', '2026-03-22 12:00:00 +01:00'],
    ['2026-10-25T11:00:00Z', '12h', '2026-10-25 01:00:00 +02:00'],
    ['2026-03-01T11:00:00Z', '1y', '2025-03-01 12:00:00 +01:00'],
    ['2026-01-15T11:00:00Z', '28d', '2025-12-18 12:00:00 +01:00'],
  ] as const;
  for (const [from, shift, text] of moved) {
    it(`than ${from} by ${shift} is ${text}`, () => {
      assert.strictEqual(printTime(earlier(tsOf(from), shift, clock), clock), text);
    });
  }

  it('makes a week with a change of clocks 167 or 169 hours long', () => {
    const hours = (iso: string): number =>
      Number(tsOf(iso) - earlier(tsOf(iso), '7d', clock)) / 3_600_000;
    assert.deepEqual(['2026-04-01T10:00:00Z', '2026-10-28T10:00:00Z'].map(hours), [167, 169]);
  });

  it('keeps the last digit of nanoseconds', () => {
    const ns = { unit: 'ns', zone: 'UTC' } as const;
    const text = printIso(earlier(1_795_227_120_123_456_789n, '1d', ns), 'ns');
    assert.strictEqual(text, '2026-11-20T02:12:00.123456789Z');
  });

  it('is written as a number with a letter, and described in words', () => {
    assert.deepEqual(['7d', '1y', '0d', '7', 'd', '1.5d'].map(isShift), [
      ...[true, true, false, false, false, false],
    ]);
    assert.deepEqual(['7d', '1h', '2y'].map(shiftWords), ['7 days', '1 hour', '2 years']);
  });
});

describe('two windows', () => {
  const of = (id: bigint, value: number | null, samples = 9): MeasuredSeries => ({
    ...{ id, labels: {}, value, samples },
  });

  it('differ by 0 if only noise of adding doubles tells them apart', () => {
    assert.strictEqual(differenceOf(0.1 + 0.2, 0.3), 0);
    assert.strictEqual(changeOf(-0.3, -(0.1 + 0.2)), 0);
    assert.strictEqual(differenceOf(1e15 + 4, 1e15), 4);
    assert.strictEqual(differenceOf(1e-300, 0), 1e-300);
  });

  it('have a positive relative rise from a negative value', () => {
    const [row] = joined([of(1n, -1.172, 9)], [of(1n, -1.576, 9)]);
    assert.closeTo(row?.change ?? 0, 25.63, 0.01);
    const [fallen] = joined([of(1n, -3, 9)], [of(1n, -2, 9)]);
    assert.strictEqual(fallen?.change, -50);
  });

  it('are joined by series, the greatest change first, then new and gone ones', () => {
    const now = [of(1n, 110), of(2n, 50), of(3n, 7), of(5n, 1)];
    const then = [of(1n, 100), of(2n, 100), of(4n, 7), of(5n, 0)];
    const rows = joined(now, then);
    assert.deepEqual(
      rows.map(({ id, change }) => [id, change === null ? null : Math.round(change)]),
      [
        [2n, -50],
        [1n, 10],
        [5n, null],
        [3n, null],
        [4n, null],
      ],
    );
  });

  it('with fewer than five samples are marked as weak', () => {
    const [few, enough] = joined([of(1n, 2, 4), of(2n, 1, 5)], [of(1n, 1, 90), of(2n, 1, 5)]);
    assert.deepEqual(
      [few, enough].map((row) => row !== undefined && hasFew(row)),
      [true, false],
    );
  });

  it('have a total if the aggregate has one', () => {
    const all = [of(1n, 10, 1), of(2n, 40, 2), of(3n, null, 0)];
    const totals = ['avg', 'sum', 'min', 'max', 'last'].map((one) => totalOf(one, all)?.value);
    assert.deepEqual(totals, [30, 50, 10, 40, undefined]);
  });
});

describe('a change in percent', () => {
  it('has one decimal, and is 0 only for rounding errors', () => {
    const rounded = [11.649, -49.62, 0.04149, -0.0061, 4e-14, 0].map(roundedChange);
    assert.deepEqual(rounded, [11.6, -49.6, 0.04, -0.006, 0, 0]);
  });
});
