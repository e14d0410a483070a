/**
 * Estimates the parse cost of a JSON body from its bytes. The parser blocks the event loop, so a
 * mebibyte of tiny values would stall all requests. No request needs many values.
 */

import { AppError } from '../../common/errors/app-error.js';

/** Members, items, objects and arrays together; a series has at most 64 labels. */
export const kJsonPartsMax = 1024;
/** In bytes as sent: the longest message of an annotation, with every byte as `\u0000`. */
export const kJsonStringMax = 6 * 64 * 1024;

const kQuote = 0x22;
const kBackslash = 0x5c;
const kComma = 0x2c;
const kOpenings: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/** One pass over `bytes`, which may be invalid JSON. Throws `invalid_json` above a limit. */
export function checkJsonCost(bytes: Uint8Array): void {
  // The shortest body above the limit: a comma and a digit per part.
  if (bytes.byteLength < kJsonPartsMax) return;
  let parts = 0;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === kQuote) at = endOfString(bytes, at + 1);
    else if (byte === kComma || kOpenings.has(byte)) parts += 1;
    if (parts > kJsonPartsMax) {
      throw new AppError('invalid_json', `the body has more than ${kJsonPartsMax} values`);
    }
  }
}

/** The offset of the quote that ends the string, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.byteLength && bytes[at] !== kQuote) at += bytes[at] === kBackslash ? 2 : 1;
  if (at - start > kJsonStringMax) {
    throw new AppError('invalid_json', `a string has more than ${kJsonStringMax} bytes`);
  }
  return at;
}
