/** Natural order of texts: numbers in them compare as numbers. */
import { expect } from 'chai';

import { naturalKey } from '../../src/query/promql/functions/sort-functions.js';
import { compareText } from '../../src/query/values/value.js';
import { Random, testSeed } from '../support/random.js';

type Part = string | bigint;

const partsOf = (text: string): readonly Part[] =>
  (text.match(/\d+|\D+/g) ?? []).map((part) => (/^\d/.test(part) ? BigInt(part) : part));

/** Compares part by part. */
function compareParts(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const [one, other] = [a[at] ?? '', b[at] ?? ''];
    const areNumbers = typeof one === 'bigint' && typeof other === 'bigint';
    const order = areNumbers
      ? Number(one > other) - Number(one < other)
      : compareText(String(one), String(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

describe('the natural order of texts', () => {
  it(`compares part by part, seed ${testSeed}`, () => {
    const random = new Random(testSeed);
    const characters = ['0', '0', '1', '2', '9', 'a', 'b', '!', '\0', '\uffff', '😀', ' ', 'é'];
    const made = (): string =>
      Array.from({ length: random.below(7) }, () => characters[random.below(13)] ?? '').join('');
    for (let round = 0; round < 50_000; round++) {
      const [left, right] = [made(), made()];
      const order = compareText(naturalKey(left), naturalKey(right));
      const told = `${JSON.stringify(left)} ${JSON.stringify(right)}`;
      expect(Math.sign(order), told).to.equal(Math.sign(compareParts(left, right)));
    }
  });

  it('of long texts costs no more per byte than of short ones', () => {
    const [left, right] = [`${'9'.repeat(16_000)}1`, `${'9'.repeat(16_000)}2`];
    expect(compareText(naturalKey(left), naturalKey(right))).to.be.below(0);
  });
});
