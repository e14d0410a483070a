import { daysFromCivil, monthOfDay } from '../../../src/common/model/calendar.js';
import { fromNanoseconds, nanoseconds } from '../../../src/common/model/timestamp-unit.js';
import { assert } from 'chai';

import { readDuration, readTimestamp } from '../../../src/query/seriesql/language/time-literal.js';

describe('time literals', () => {
  it('sum the parts of a duration, and find the largest common unit', () => {
    const ninety = nanoseconds(5_400_000_000_000n);
    assert.deepInclude(readDuration('1h30m'), { nanoseconds: ninety, grain: 'time' });
    assert.deepInclude(readDuration('2w'), { grain: 'weeks' });
    assert.deepInclude(readDuration('1w2d'), { grain: 'days' });
    const none = nanoseconds(0n);
    assert.deepInclude(readDuration('1y2mo'), { months: 14, nanoseconds: none, grain: 'months' });
    assert.isNull(readDuration('1mo2d'));
    assert.isNull(readDuration('1.5mo'));
  });

  it('accept valid calendar dates only, with and without a zone', () => {
    assert.strictEqual(readTimestamp('1970-01-01T01:00:00+01:00'), 0n);
    assert.strictEqual(readTimestamp('1970-01-01T00:00:00.5'), 500_000_000n);
    assert.strictEqual(readTimestamp('2024-02-29'), 1_709_164_800_000_000_000n);
    for (const text of ['2022-02-30', '2023-02-29', '2022-13-01', '2022-01-01T24:00:00']) {
      assert.isNull(readTimestamp(text), text);
    }
  });

  it('are rounded toward -inf in a coarser unit', () => {
    assert.strictEqual(fromNanoseconds(nanoseconds(-1n), 'ms'), -1n);
    assert.strictEqual(fromNanoseconds(nanoseconds(999_999n), 'ms'), 0n);
  });

  it('convert every month to its first day and back', () => {
    for (let month = -30_000; month < 30_000; month += 7) {
      const year = Math.floor(month / 12);
      const ofYear = month - year * 12 + 1;
      const found = monthOfDay(daysFromCivil(1970 + year, ofYear, 1));
      assert.deepEqual(found, { year: 1970 + year, month: ofYear });
    }
  });
});
