/** What may be a name, of a metric or a label (D5), and how long texts are on disk. */

const kNameSizeMax = 255;
/** Bytes of `name|{…}`, the name and labels of a series, that intake takes. */
export const kIdentitySizeMax = 16_384;
/** Of one series, or of one annotation. */
export const kLabelCountMax = 64;

/** The size in UTF-8. */
export function utf8Size(text: string): number {
  return Buffer.byteLength(text);
}

/** Whether the text has a form in UTF-8: half of a surrogate pair has none. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** 1 to `sizeMax` bytes without control characters. */
export function isName(text: string, sizeMax = kNameSizeMax): boolean {
  return text !== '' && utf8Size(text) <= sizeMax && isWellFormed(text) && !/\p{Cc}/u.test(text);
}
