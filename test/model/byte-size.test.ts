import { assert } from 'chai';

import { parseByteSize, printByteSize } from '../../src/common/model/byte-size.js';

describe('sizes', () => {
  it('are printed with three digits in the unit that leaves the fewest', () => {
    const sizes = [0, 1, 1023, 1024, 1500, 1024 ** 2 - 1, 5 * 1024 ** 3, 3 * 1024 ** 6];
    assert.deepEqual(sizes.map(printByteSize), [
      ...['0 B', '1 B', '1023 B', '1 KiB', '1.46 KiB', '1024 KiB', '5 GiB', '3072 PiB'],
    ]);
  });

  it('are read with a unit or without', () => {
    assert.deepEqual(['7', '2KiB', '3 MiB', '1kb', ''].map(parseByteSize), [
      ...[7, 2048, 3 * 1024 ** 2, null, null],
    ]);
  });
});
