import { printTime } from '../../src/common/model/iso-time.js';
import { assert } from 'chai';

import { parseTime } from '../../src/common/model/time-text.js';

describe('times on the command line', () => {
  it('are integers of the whole range as they stand', () => {
    assert.strictEqual(parseTime('-9223372036854775808', 'ms'), -(2n ** 63n));
    assert.strictEqual(parseTime('9007199254740993', 'ns'), 2n ** 53n + 1n);
    assert.isNull(parseTime('9223372036854775808', 'ms'));
  });

  it('are ISO times, in UTC or in their zone, cut towards the past', () => {
    const second = 1_700_000_000n;
    assert.strictEqual(parseTime('2023-11-14T22:13:20Z', 's'), second);
    assert.strictEqual(parseTime('2023-11-14 22:13:20', 'ms'), second * 1000n);
    assert.strictEqual(parseTime('2023-11-14T23:13:20+01:00', 'us'), second * 1_000_000n);
    const fine = '2023-11-14T22:13:20.123456789Z';
    assert.strictEqual(parseTime(fine, 'ns'), second * 1_000_000_000n + 123_456_789n);
    assert.strictEqual(parseTime(fine, 'ms'), second * 1000n + 123n);
    assert.strictEqual(parseTime('1969-12-31T23:59:59.9999Z', 'ms'), -1n);
    assert.strictEqual(parseTime('2024-02-29', 's'), 1_709_164_800n);
  });

  it('are now, and distances from it', () => {
    assert.strictEqual(parseTime('now', 'ms', 1234), 1234n);
    assert.strictEqual(parseTime('now-1s', 'ns', 1234), 234_000_000n);
    assert.strictEqual(parseTime('now+1m', 's', 1999), 61n);
    assert.strictEqual(parseTime('now - 1s', 'ms', 1234), 234n);
  });

  it('are days of UTC and this week, from their beginning on', () => {
    const at = (text: string): number => Date.parse(text);
    for (const [now, week] of [
      ['2026-11-29T23:59:59.999Z', '2026-11-23T00:00:00Z'],
      ['2026-11-30T00:00:00Z', '2026-11-30T00:00:00Z'],
      ['1969-12-28T12:00:00Z', '1969-12-22T00:00:00Z'],
    ] as const) {
      const today = Math.floor(at(now) / 86_400_000) * 86_400_000;
      assert.strictEqual(parseTime('today', 'ms', at(now)), BigInt(today), now);
      assert.strictEqual(parseTime('Yesterday', 'ms', at(now)), BigInt(today - 86_400_000), now);
      for (const text of ['this-week', 'this week', 'this_week']) {
        assert.strictEqual(parseTime(text, 's', at(now)), BigInt(at(week) / 1000), now);
      }
    }
  });

  for (const text of [
    '',
    'tomorrow',
    'yesterday-1h',
    'now-1y',
    '2023-02-30',
    '2023-1-1',
    '1.5',
    '2023-11-14T25:00Z',
  ]) {
    it(`are not "${text}"`, () => {
      assert.isNull(parseTime(text, 'ms'));
    });
  }

  it('are printed with all digits of their unit, and read back the same', () => {
    assert.strictEqual(printTime(1_700_000_000_001n, 'ms'), '2023-11-14T22:13:20.001Z');
    assert.strictEqual(printTime(-1n, 'ns'), '1969-12-31T23:59:59.999999999Z');
    assert.strictEqual(printTime(0n, 's'), '1970-01-01T00:00:00Z');
    assert.strictEqual(printTime(2n ** 63n - 1n, 'ms'), '');
    for (const unit of ['s', 'ms', 'us', 'ns'] as const) {
      for (const ts of [0n, -1n, 1n, 1_700_000_000_123n, -1_700_000_000_123n]) {
        assert.strictEqual(parseTime(printTime(ts, unit), unit), ts, `${String(ts)} ${unit}`);
      }
    }
  });
});
