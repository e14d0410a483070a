/** What may be a name, of a metric or a label (D5), and how long texts are on disk. */

const kNameSizeMax = 255;
/** Bytes of `name|{…}`, the name and labels of a series, that intake takes. */
export const kIdentitySizeMax = 16_384;
/** Of one series, or of one annotation. */
export const kLabelCountMax = 64;

/** The size in UTF-8, where half of a surrogate pair takes three bytes. The page has no Buffer. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    size += unit < 0x800 ? 1 : 2;
    // A pair takes four, two for each of its halves.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) at += 1;
  }
  return size;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Whether the text has a form in UTF-8: half of a surrogate pair has none. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** 1 to `sizeMax` bytes without control characters. */
export function isName(text: string, sizeMax = kNameSizeMax): boolean {
  return text !== '' && utf8Size(text) <= sizeMax && isWellFormed(text) && !/\p{Cc}/u.test(text);
}
