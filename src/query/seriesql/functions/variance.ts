import { checkedFloat, type Value } from '../../values/value.js';

import type { Accumulator } from './aggregate-function.js';

/** A double equals mantissa * 2^exponent. */
interface NumberParts {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const mantissaBits = 52n;
const lowestExponent = -1074;
const view = new DataView(new ArrayBuffer(8));

function partsOf(value: number): NumberParts {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = BigInt.asUintN(Number(mantissaBits), bits);
  const biased = Number((bits >> mantissaBits) & 0x7ffn);
  const size = biased === 0 ? fraction : fraction | (1n << mantissaBits);
  const exponent = lowestExponent + Math.max(biased, 1) - 1;
  return { mantissa: value < 0 ? -size : size, exponent };
}

/**
 * Whole numbers up to `smallMax` are summed as doubles; `smallCountMax` of them need no rounding.
 */
const smallMax = 2 ** 20;
const smallCountMax = 2 ** 12;

/**
 * The exact sample variance, passed to `finish` and rounded once, independent of the order of the
 * values. native/query/fold/exact_moments.h does the same.
 */
export class Variance implements Accumulator {
  readonly #finish: (variance: number) => number;
  #count = 0;
  #isFinite = true;
  /** The sum of the values in units of 2^exponent, and of their squares in units of 4^exponent. */
  #sum = 0n;
  #squares = 0n;
  #exponent = 0;
  #small = { count: 0, sum: 0, squares: 0 };

  constructor(finish: (variance: number) => number) {
    this.#finish = finish;
  }

  add(value: Exclude<Value, null>): void {
    const number = Number(value);
    this.#count += 1;
    if (Number.isInteger(number) && Math.abs(number) <= smallMax) this.#addSmall(number);
    else if (Number.isFinite(number)) this.#addParts(partsOf(number));
    else this.#isFinite = false;
  }

  #addSmall(value: number): void {
    const small = this.#small;
    small.count += 1;
    small.sum += value;
    small.squares += value * value;
    if (small.count === smallCountMax) this.#takeSmall();
  }

  #takeSmall(): void {
    const { sum, squares } = this.#small;
    this.#small = { count: 0, sum: 0, squares: 0 };
    this.#lowerTo(0);
    const shift = BigInt(-this.#exponent);
    this.#sum += BigInt(sum) << shift;
    this.#squares += BigInt(squares) << (2n * shift);
  }

  #addParts({ mantissa, exponent }: NumberParts): void {
    this.#lowerTo(exponent);
    const scaled = mantissa << BigInt(exponent - this.#exponent);
    this.#sum += scaled;
    this.#squares += scaled * scaled;
  }

  #lowerTo(exponent: number): void {
    if (exponent >= this.#exponent) return;
    const shift = BigInt(this.#exponent - exponent);
    this.#sum <<= shift;
    this.#squares <<= 2n * shift;
    this.#exponent = exponent;
  }

  result(): Value {
    if (this.#count < 2 || !this.#isFinite) return null;
    this.#takeSmall();
    const count = BigInt(this.#count);
    const spread = count * this.#squares - this.#sum * this.#sum;
    const variance = roundedQuotient(spread, count * (count - 1n), 2 * this.#exponent);
    return checkedFloat(this.#finish(variance));
  }
}

/** numerator / denominator * 2^exponent, rounded once. */
function roundedQuotient(numerator: bigint, denominator: bigint, exponent: number): number {
  if (numerator === 0n) return 0;
  // The quotient has far more bits than a double, so one sticky bit can stand for the remainder.
  const shift = 80 + bitLength(denominator) - bitLength(numerator);
  const scaled = shift < 0 ? numerator >> BigInt(-shift) : numerator << BigInt(shift);
  const quotient = scaled / denominator;
  const isExact =
    quotient * denominator === scaled && (shift >= 0 || scaled << BigInt(-shift) === numerator);
  return timesPower(Number(isExact ? quotient : quotient | 1n), exponent - shift);
}

/** The bit length, up to three bits too large. */
function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

/** value * 2^exponent, in steps. Only the last step rounds. */
function timesPower(value: number, exponent: number): number {
  const step = 1000;
  let out = value;
  let left = exponent;
  for (; left > step; left -= step) out *= 2 ** step;
  for (; left < -step; left += step) out *= 2 ** -step;
  return out * 2 ** left;
}
