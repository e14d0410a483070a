/** Rules for names of metrics and labels (D5), and sizes of texts on disk. */

const kNameSizeMax = 255;
/** The largest `name|{…}` (the name and labels of a series) that ingest accepts, in bytes. */
export const kIdentitySizeMax = 16_384;
/** The most labels of one series or one annotation. */
export const kLabelCountMax = 64;

/** The size in UTF-8, in bytes. A lone surrogate takes three bytes. Browsers have no Buffer. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    size += unit < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes, two for each half.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) at += 1;
  }
  return size;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Returns true if the text has a UTF-8 form. A lone surrogate has none. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** True for 1 to `sizeMax` bytes without control characters. */
export function isName(text: string, sizeMax = kNameSizeMax): boolean {
  return text !== '' && utf8Size(text) <= sizeMax && isWellFormed(text) && !/\p{Cc}/u.test(text);
}
