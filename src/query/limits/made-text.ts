/**
 * Texts that queries make. Each has the size limit of a stored label value, which is checked before
 * the text is made.
 */

import { AppError } from '../../common/errors/app-error.js';
import { kIdentitySizeMax, utf8Size } from '../../common/model/names.js';
import { noteTextWork } from './text-work.js';

/**
 * The longest such text, in bytes: a stored label value leaves room for its key. V8 does not hash
 * the content of longer strings, so a Map of them would degrade to a list.
 */
export const kMadeTextMax = kIdentitySizeMax - 1;
/** The most bytes of UTF-8 for a unit of UTF-16. */
const kBytesPerUnit = 3;

/** Throws `query_limit_exceeded` for a text of more than `kMadeTextMax` bytes. */
export function requireMadeSize(units: number, bytesOf: () => number): void {
  noteTextWork(units);
  if (units * kBytesPerUnit <= kMadeTextMax) return;
  if (units <= kMadeTextMax && bytesOf() <= kMadeTextMax) return;
  throw new AppError(
    'query_limit_exceeded',
    `a text made by the query has more than ${kMadeTextMax} bytes, the limit of a label`,
  );
}

/** Throws `query_limit_exceeded` before it joins too long a text. */
export function joinedTexts(parts: readonly string[], between = ''): string {
  const gaps = Math.max(0, parts.length - 1);
  let units = gaps * between.length;
  for (const { length } of parts) units += length;
  requireMadeSize(units, () =>
    parts.reduce((sum, part) => sum + utf8Size(part), gaps * utf8Size(between)),
  );
  return parts.join(between);
}
