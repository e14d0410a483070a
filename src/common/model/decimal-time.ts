/** Times as decimal numbers of a unit, `1700000000.25` or `1.7e+09`: exact, never a double. */

import { floorDivide } from './integers.js';
import { convertTime, nanosecondsPerUnit, type TimestampUnit } from './timestamp-unit.js';

const form = /^([+-]?)(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

interface Units {
  readonly from: TimestampUnit;
  readonly to: TimestampUnit;
}

/** Converts the time to another unit, rounded down. Null if `text` is not a decimal number. */
export function parseDecimalTime(text: string, { from, to }: Units): bigint | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n) * nanosecondsPerUnit[from];
  const shift = Number(exponent) - fraction.length;
  const nanoseconds =
    shift >= 0 ? digits * 10n ** BigInt(shift) : floorDivide(digits, 10n ** BigInt(-shift));
  return convertTime(nanoseconds, 'ns', to);
}
