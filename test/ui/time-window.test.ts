/** Texts that mean a stretch of time. */

import { assert } from 'chai';

import { isWindowText, readOwnText, windowOf } from '../../src/ui/time-window.js';

const nowMs = Date.UTC(2026, 10, 21, 12);
const clock = { unit: 'ms', zone: 'Europe/Berlin' } as const;

describe('a time range', () => {
  it('is live if it gives a length', () => {
    const end = BigInt(nowMs);
    const wanted = { start: end - 5_400_000n, end, endsNow: true };
    assert.deepEqual(windowOf('1h30m', { ...clock, nowMs }), wanted);
    const inNs = windowOf('7d', { ...clock, unit: 'ns', nowMs });
    assert.strictEqual((inNs?.end ?? 0n) - (inNs?.start ?? 0n), 604_800_000_000_000n);
  });

  it('is fixed between two times, exact to the unit', () => {
    const text = '2026-11-20T09:00:00.123456789Z..2026-11-20T10:00:00Z';
    assert.deepEqual(windowOf(text, { ...clock, unit: 'ns', nowMs }), {
      start: 1_795_165_200_123_456_789n,
      end: 1_795_168_800_000_000_000n,
      endsNow: false,
    });
    assert.strictEqual(windowOf(text, { ...clock, nowMs })?.start, 1_795_165_200_123n);
  });

  const days = [
    // A Saturday.
    ['today', nowMs, '2026-11-20T23:00:00Z', '2026-11-21T12:00:00Z'],
    ['yesterday', nowMs, '2026-11-19T23:00:00Z', '2026-11-20T22:59:59.999Z'],
    ['this-week', nowMs, '2026-11-15T23:00:00Z', '2026-11-21T12:00:00Z'],
    ['this week', nowMs, '2026-11-15T23:00:00Z', '2026-11-21T12:00:00Z'],
    // Monday, half an hour into it there, and Sunday, half an hour before.
    ['this-week', Date.UTC(2026, 10, 22, 23, 30), '2026-11-22T23:00:00Z', '2026-11-22T23:30:00Z'],
    ['this-week', Date.UTC(2026, 10, 22, 22, 30), '2026-11-15T23:00:00Z', '2026-11-22T22:30:00Z'],
    // The day after clocks were put forward: yesterday had 23 hours.
    ['yesterday', Date.UTC(2026, 2, 30, 6), '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z'],
    ['this-week', Date.UTC(2026, 2, 29, 6), '2026-03-22T23:00:00Z', '2026-03-29T06:00:00Z'],
  ] as const;
  for (const [text, atMs, start, end] of days) {
    it(`of ${text} is of the zone's days, at ${new Date(atMs).toISOString()}`, () => {
      const found = windowOf(text, { ...clock, nowMs: atMs });
      assert.strictEqual(
        new Date(Number(found?.start)).toISOString(),
        new Date(start).toISOString(),
      );
      assert.strictEqual(new Date(Number(found?.end)).toISOString(), new Date(end).toISOString());
      assert.strictEqual(found?.endsNow, text !== 'yesterday');
    });
  }

  it('of a year has 365 days', () => {
    const found = windowOf('1y', { ...clock, nowMs });
    assert.strictEqual((found?.end ?? 0n) - (found?.start ?? 0n), 31_536_000_000n);
  });

  const own = [
    ['90m', '90m'],
    ['now-90m', '90m'],
    ['now - 90m', '90m'],
    ['all', 'all'],
    ['90d', '90d'],
    ['1y', '1y'],
    ['today', 'today'],
    ['Yesterday', 'yesterday'],
    ['this week', 'this-week'],
    ['this-week', 'this-week'],
    ['yesterday .. now', '2026-11-19T23:00:00Z..2026-11-21T12:00:00Z'],
    ['this week .. today', '2026-11-15T23:00:00Z..2026-11-20T23:00:00Z'],
    ['2026-11-20 10:00 .. +2h', '2026-11-20T09:00:00Z..2026-11-20T11:00:00Z'],
    ['2026-11-20 .. 2026-11-21', '2026-11-19T23:00:00Z..2026-11-20T23:00:00Z'],
    ['now-2h..now-1h', '2026-11-21T10:00:00Z..2026-11-21T11:00:00Z'],
    ['2026-11-21 12:30 .. now', '2026-11-21T11:30:00Z..2026-11-21T12:00:00Z'],
    ['2026-03-29 .. +1d', '2026-03-28T23:00:00Z..2026-03-29T23:00:00Z'],
    [
      '2026-11-20T10:00:00.5+05:30 .. 2026-11-20T10:00Z',
      '2026-11-20T04:30:00.500Z..2026-11-20T10:00:00Z',
    ],
  ] as const;
  for (const [text, wanted] of own) {
    it(`is parsed from "${text}"`, () => {
      assert.strictEqual(readOwnText(text, { clock, nowMs }), wanted);
      assert.isTrue(isWindowText(wanted));
    });
  }

  const bad = [
    ...['', 'soon', '0s', '6', '6q', 'week', 'toString', '+2h', 'now', '..', '+2h .. now', 'now-x'],
    ...['2026-13-01 .. now', '2026-02-30 .. now', '2026-11-20 25:00 .. +1h'],
    ...['2026-11-21 .. 2026-11-20', '2026-11-20 .. +1h .. +2h'],
  ];
  for (const text of bad) {
    it(`is not parsed from "${text}"`, () => {
      assert.isNull(readOwnText(text, { clock, nowMs }));
      assert.isFalse(isWindowText(text));
    });
  }
});
