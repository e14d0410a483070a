import { assert } from 'chai';

import { TextPacker } from '../../../src/query/values/text-packer.js';
import { Random, testSeed } from '../../support/random.js';

describe('packed texts', () => {
  it(`equal the texts added (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 50; round++) {
      const packer = new TextPacker();
      const texts: string[] = [];
      const alphabet = ['a', 'é', '語', '😀', '"', '\n'];
      for (let count = random.below(300); count > 0; count--) {
        const length = random.chance(0.05) ? random.below(3000) : random.below(6);
        texts.push(Array.from({ length }, () => random.pick(alphabet)).join(''));
        packer.add(texts.at(-1) ?? '');
      }
      const { bytes, ends } = packer.texts();
      let from = 0;
      const read = Array.from(ends, (end) => {
        const text = Buffer.from(bytes.subarray(from, end)).toString();
        from = end;
        return text;
      });
      assert.deepEqual(read, texts);
      assert.strictEqual(from, bytes.length);
    }
  });
});
