import { assert } from 'chai';

import { freeBytes, giveBytes } from '../../src/common/model/given-bytes.js';

describe('bytes that were given', () => {
  it('are freed once all is sent, by whatever view of them was sent', () => {
    const freed: ArrayBuffer[] = [];
    const bytes = giveBytes(new Uint8Array(1 << 16), (buffer) => freed.push(buffer));
    freeBytes(bytes.subarray(10, 20));
    assert.deepEqual(freed, [bytes.buffer]);
  });

  it('are the only ones that are freed: not small ones, and not pages that others share', () => {
    const small = new Uint8Array((1 << 16) - 1);
    freeBytes(giveBytes(small, () => assert.fail('small ones are collected')));
    const shared = Buffer.from('of a page that Node shares');
    const others = shared.toString();
    freeBytes(shared);
    freeBytes(new Uint8Array(1 << 20));
    assert.strictEqual(shared.toString(), others);
  });
});
