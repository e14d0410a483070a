/** How deep a text of JSON nests, checked before it is parsed: a deep one takes seconds. */

import { AppError } from '../../errors/app-error.js';

/** An attribute of eight levels, which is the most that is stored, stands 40 deep. */
const kDepthMax = 128;

const kQuote = 0x22;
const kBackslash = 0x5c;
/** With this bit, `[` is `{` and `]` is `}`; no other byte of UTF-8 becomes one of these. */
const kBraceBit = 0x20;
const kOpen = 0x7b;
const kClose = 0x7d;

export class JsonDepth {
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  /** The next piece of the text. Throws `parse_failed`. */
  follow(piece: Uint8Array): void {
    let depth = this.#depth;
    let isText = this.#isText;
    let isEscaped = this.#isEscaped;
    for (const byte of piece) {
      if (isEscaped) {
        isEscaped = false;
      } else if (byte === kQuote) {
        isText = !isText;
      } else if (isText) {
        isEscaped = byte === kBackslash;
      } else if ((byte | kBraceBit) === kOpen) {
        depth += 1;
        if (depth > kDepthMax) {
          throw new AppError('parse_failed', `the body nests more than ${kDepthMax} levels deep`);
        }
      } else if ((byte | kBraceBit) === kClose) {
        depth -= 1;
      }
    }
    this.#depth = depth;
    this.#isText = isText;
    this.#isEscaped = isEscaped;
  }
}
