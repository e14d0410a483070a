/** Packs texts for the addon one by one, so that a long list need not block the event loop. */

import type { PackedTexts } from '../../storage/storage.js';

const kFirstBytes = 1024;
const kFirstTexts = 64;
/** The most bytes of UTF-8 for a unit of UTF-16. */
const kBytesPerUnit = 3;

export class TextPacker {
  #bytes = Buffer.allocUnsafeSlow(kFirstBytes);
  #size = 0;
  #ends = new Uint32Array(kFirstTexts);
  #count = 0;

  /** REQUIRES: all texts together take less than 4 GiB. */
  add(text: string): void {
    const most = this.#size + text.length * kBytesPerUnit;
    if (most > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    if (this.#count === this.#ends.length) {
      const grown = new Uint32Array(2 * this.#count);
      grown.set(this.#ends);
      this.#ends = grown;
    }
    this.#size += this.#bytes.write(text, this.#size);
    this.#ends[this.#count] = this.#size;
    this.#count += 1;
  }

  /** Views of the texts added so far. */
  texts(): PackedTexts {
    return {
      bytes: this.#bytes.subarray(0, this.#size),
      ends: this.#ends.subarray(0, this.#count),
    };
  }
}
