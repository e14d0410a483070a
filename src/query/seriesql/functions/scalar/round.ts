import { checkedFloat, checkedInteger, type Value } from '../../../values/value.js';

import { ofNumber } from '../of-numbers.js';
import { defineScalar } from '../scalar-function.js';

import type { Lowering, Register } from '../lowering.js';

export const round = defineScalar({
  name: 'round',
  documentation: {
    sentence: 'The number rounded to this many decimals (default 0), half away from zero.',
    example: 'select round(value / 3, 2) from temp where time >= 0',
    answer: '6.67, 7, 8',
  },
  parameters: [
    { name: 'x', kind: 'number' },
    { name: 'digits', kind: 'integer', isOptional: true },
  ],
  result: 'first',
  mayBeNull: true,
  evaluate: ofNumber(roundInteger, roundFloat),
  lower: ({ args: [x, digits] }, to) => {
    const value = x.register();
    if (digits === undefined) return roundTo(0, value, to);
    if (digits.isNull) return to.null(value.type);
    if (digits.literal !== undefined) return roundTo(Number(digits.literal), value, to);
    const places = digits.register('integer').at;
    const powers = value.type === 'float' ? to.powersPlace() : 0;
    return to.step('roundTo', value.type, [value.at, places, powers]);
  },
});

/** Rounds half away from zero. Negative digits count left of the decimal point. */
function roundInteger(value: bigint, digits: number): Value {
  if (digits >= 0) return value;
  if (digits < -19) return 0n;
  const unit = 10n ** BigInt(-digits);
  const size = value < 0n ? -value : value;
  const rounded = ((size + unit / 2n) / unit) * unit;
  return checkedInteger(value < 0n ? -rounded : rounded);
}

/** Rounds half away from zero. If 10^digits exceeds a double, there is nothing to round. */
function roundFloat(value: number, digits: number): Value {
  const factor = 10 ** Math.abs(digits);
  if (!Number.isFinite(factor)) return digits > 0 ? value : 0;
  const scaled = digits >= 0 ? Math.abs(value) * factor : Math.abs(value) / factor;
  if (!Number.isFinite(scaled)) return value;
  const whole = Math.trunc(scaled);
  const rounded = scaled - whole >= 0.5 ? whole + 1 : whole;
  const size = digits >= 0 ? rounded / factor : rounded * factor;
  return checkedFloat(value < 0 || Object.is(value, -0) ? -size : size);
}

/** The same in the addon, for a constant number of digits. */
function roundTo(digits: number, value: Register, to: Lowering): Register {
  if (value.type === 'integer') {
    if (digits >= 0) return value;
    if (digits >= -19) return to.step('round', 'integer', [value.at, 0, -digits]);
    return to.step('multiply', 'integer', [value.at, to.constant(0n).at]);
  }
  const factor = 10 ** Math.abs(digits);
  if (!Number.isFinite(factor)) {
    if (digits > 0) return value;
    const size = to.step('absolute', 'float', [value.at]);
    return to.step('multiply', 'float', [size.at, to.constant(0).at]);
  }
  const divides = digits < 0 ? 1 : 0;
  return to.step('round', 'float', [value.at, to.floatPlace(factor), divides]);
}
