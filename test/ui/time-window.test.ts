/** Texts that mean a stretch of time. */

import { assert } from 'chai';

import { isWindowText, readOwnText, windowOf } from '../../src/ui/time-window.js';

const nowMs = Date.UTC(2026, 10, 21, 12);
const clock = { unit: 'ms', zone: 'Europe/Berlin' } as const;

describe('a stretch of time', () => {
  it('goes along with the clock where it says how long', () => {
    const end = BigInt(nowMs);
    const wanted = { start: end - 5_400_000n, end, endsNow: true };
    assert.deepEqual(windowOf('1h30m', { unit: 'ms', nowMs }), wanted);
    const inNs = windowOf('7d', { unit: 'ns', nowMs });
    assert.strictEqual((inNs?.end ?? 0n) - (inNs?.start ?? 0n), 604_800_000_000_000n);
  });

  it('stands still between two times, exact to the unit', () => {
    const text = '2026-11-20T09:00:00.123456789Z..2026-11-20T10:00:00Z';
    assert.deepEqual(windowOf(text, { unit: 'ns', nowMs }), {
      start: 1_795_165_200_123_456_789n,
      end: 1_795_168_800_000_000_000n,
      endsNow: false,
    });
    assert.strictEqual(windowOf(text, { unit: 'ms', nowMs })?.start, 1_795_165_200_123n);
  });

  const own = [
    ['90m', '90m'],
    ['now-90m', '90m'],
    ['now - 90m', '90m'],
    ['all', 'all'],
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
    it(`is meant by "${text}"`, () => {
      assert.strictEqual(readOwnText(text, { clock, nowMs }), wanted);
      assert.isTrue(isWindowText(wanted));
    });
  }

  const bad = [
    ...['', 'soon', '0s', '6', '6y', '+2h', 'now', '..', '+2h .. now', 'now-x'],
    ...['2026-13-01 .. now', '2026-02-30 .. now', '2026-11-20 25:00 .. +1h'],
    ...['2026-11-21 .. 2026-11-20', '2026-11-20 .. +1h .. +2h'],
  ];
  for (const text of bad) {
    it(`is not meant by "${text}"`, () => {
      assert.isNull(readOwnText(text, { clock, nowMs }));
      assert.isFalse(isWindowText(text));
    });
  }
});
