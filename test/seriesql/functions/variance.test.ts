/** The interpreter's variance is the exact one, rounded once, in every order. */
import { assert } from 'chai';

import { Variance } from '../../../src/query/seriesql/functions/variance.js';
import { Random, testSeed } from '../../support/random.js';

import type { Value } from '../../../src/query/values/value.js';

const unchanged = (variance: number): number => variance;

function varianceOf(values: readonly number[]): Value {
  const variance = new Variance(unchanged);
  for (const value of values) variance.add(value);
  return variance.result();
}

function shuffled(random: Random, values: readonly number[]): readonly number[] {
  const out = [...values];
  for (let at = out.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [out[at], out[other]] = [out[other] ?? 0, out[at] ?? 0];
  }
  return out;
}

/** The exact variance of whole numbers is `spread / pairs`; of the doubles the nearest. */
function isNearest(value: number, spread: bigint, pairs: bigint): boolean {
  // Twice the distance of a double from the quotient, in units of 1 / (pairs * 2^60).
  const scale = 2n ** 60n;
  const distanceOf = (double: number): bigint => {
    const whole = BigInt(Math.floor(double));
    const part = BigInt((double - Math.floor(double)) * 2 ** 60);
    const distance = (whole * scale + part) * pairs - spread * scale;
    return distance < 0n ? -distance : distance;
  };
  const gap = 2 ** (Math.floor(Math.log2(value)) - 52);
  const own = distanceOf(value);
  return own <= distanceOf(value - gap) && own <= distanceOf(value + gap);
}

describe("the interpreter's variance", () => {
  it(`is the nearest double to the exact one, seed ${testSeed}`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 300; round += 1) {
      const most = 2 ** (8 + random.below(24));
      const values = Array.from({ length: 2 + random.below(40) }, () => random.below(most) * 5);
      const count = BigInt(values.length);
      const sum = values.reduce((all, value) => all + BigInt(value), 0n);
      const squares = values.reduce((all, value) => all + BigInt(value) ** 2n, 0n);
      const spread = count * squares - sum * sum;
      const variance = varianceOf(values);
      assert.isNumber(variance);
      // Smaller ones have bits below 2^-60.
      if (Number(variance) < 256) continue;
      assert.isTrue(isNearest(Number(variance), spread, count * (count - 1n)), values.join(' '));
    }
  });

  it(`does not depend on the order, seed ${testSeed}`, () => {
    const random = new Random(testSeed);
    const kinds = [
      () => random.below(1000) - 500,
      () => random.below(100_000) / 100 - 300,
      () => (random.next32() / 2 ** 32 - 0.5) * 10 ** random.below(30),
      () => random.pick([1e150, -1e150, 5e-324, 0.1, -0, 2 ** 70, 1e-200]),
    ];
    for (let round = 0; round < 300; round += 1) {
      const kind = random.pick(kinds);
      const other = random.pick(kinds);
      const length = 2 + random.below(60);
      const values = Array.from({ length }, () => (random.chance(0.5) ? kind() : other()));
      const variance = varianceOf(values);
      assert.isNumber(variance);
      assert.strictEqual(varianceOf(shuffled(random, values)), variance, values.join(' '));
    }
  });

  it('is null for one value, 0 for equal ones, and null past the largest double', () => {
    assert.isNull(varianceOf([]));
    assert.isNull(varianceOf([0.1]));
    assert.strictEqual(varianceOf(Array.from({ length: 9999 }, () => 0.1)), 0);
    const ones = Array.from({ length: 9999 }, (_, at) => at % 2);
    assert.strictEqual(varianceOf(ones), (4999 * 5000) / (9999 * 9998));
    assert.strictEqual(varianceOf([1e153, -1e153]), 2e306);
    assert.isNull(varianceOf([1e200, -1e200]));
    assert.isNull(varianceOf([1, Infinity]));
    assert.strictEqual(varianceOf([4e-162, 0]), 1e-323);
  });
});
