import { floorDivide } from '../../../src/common/model/integers.js';
import { assert } from 'chai';

import { compareText, compareValues } from '../../../src/query/values/value.js';

describe('values', () => {
  it('are ordered by their UTF-8 bytes, not by UTF-16 units', () => {
    const texts = ['', 'a', 'ab', 'b', 'é', '\u{ffff}', '\u{10000}', '\u{1f600}'];
    for (const [at, left] of texts.entries()) {
      for (const [other, right] of texts.entries()) {
        const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
        assert.strictEqual(Math.sign(compareText(left, right)), bytes, `${at} ${other}`);
      }
    }
  });

  it('are ordered the same if they are long', () => {
    const long = ['', 'a', 'é', '\u{ffff}', '\u{10000}'].flatMap((end) =>
      [1023, 1024, 1025, 5000].map((size) => 'x'.repeat(size) + end + 'y'.repeat(1500)),
    );
    for (const left of long) {
      for (const right of long) {
        const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
        assert.strictEqual(Math.sign(compareText(left, right)), bytes);
      }
    }
  });

  it('compare an integer with a float by its exact value', () => {
    assert.strictEqual(compareValues(2n ** 53n + 1n, 2 ** 53), 1);
    assert.strictEqual(compareValues(1n, 1), 0);
    assert.isBelow(compareValues(false, true), 0);
  });

  it('divide toward -inf', () => {
    assert.deepEqual(
      [floorDivide(-7n, 2n), floorDivide(7n, -2n), floorDivide(-8n, 2n)],
      [-4n, -4n, -4n],
    );
  });
});
