/** Times whose types tell their unit, and their conversions. */

import { assert } from 'chai';

import { kI64Max } from '../../src/common/model/integers.js';
import { rangeOfMilliseconds } from '../../src/common/model/time-range.js';
import {
  databaseTime,
  fromMilliseconds,
  fromNanoseconds,
  kLastTime,
  milliseconds,
  nanoseconds,
  toMilliseconds,
  toNanoseconds,
  upFromMilliseconds,
} from '../../src/common/model/timestamp-unit.js';

const ms = milliseconds(1500);
const ts = databaseTime(1500n);

describe('times of a unit', () => {
  it('compile only where their unit is meant', () => {
    // @ts-expect-error: a plain number has no unit.
    fromMilliseconds(1500, 's');
    // @ts-expect-error: a plain integer has no unit.
    toMilliseconds(1500n, 's');
    // @ts-expect-error: a time of a database is not in nanoseconds.
    fromNanoseconds(ts, 's');
    // @ts-expect-error: a time of a database is not in milliseconds.
    toNanoseconds(ts);
    // @ts-expect-error: milliseconds are not times of a database.
    rangeOfMilliseconds({ start: ts, end: ts }, 's');
    // @ts-expect-error: arithmetic gives a plain number.
    toNanoseconds(ms + 1);
    // @ts-expect-error: a stated unit is not stated anew.
    milliseconds(ts);
  });

  it('convert with the rounding that a conversion names', () => {
    assert.strictEqual(fromMilliseconds(ms, 's'), 1n);
    assert.strictEqual(upFromMilliseconds(ms, 's'), 2n);
    assert.strictEqual(fromMilliseconds(milliseconds(-1n), 's'), -1n);
    assert.strictEqual(upFromMilliseconds(milliseconds(-1n), 's'), 0n);
    assert.strictEqual(fromMilliseconds(ms, 'us'), 1_500_000n);
    assert.strictEqual(toMilliseconds(ts, 'us'), 1n);
    assert.strictEqual(toMilliseconds(ts, 's'), 1_500_000n);
    assert.strictEqual(toNanoseconds(ms), 1_500_000_000n);
    assert.strictEqual(fromNanoseconds(nanoseconds(-1n), 'us'), -1n);
  });

  it('of a range of milliseconds are all those inside', () => {
    const range = { start: milliseconds(1n), end: milliseconds(2000n) };
    assert.deepEqual(rangeOfMilliseconds(range, 's'), {
      start: databaseTime(1n),
      end: databaseTime(2n),
    });
    assert.deepEqual(rangeOfMilliseconds(range, 'us'), {
      start: databaseTime(1000n),
      end: databaseTime(2_000_999n),
    });
    const late = { start: milliseconds(0n), end: milliseconds(kI64Max) };
    assert.strictEqual(rangeOfMilliseconds(late, 'ns').end, kLastTime);
  });
});
