/**
 * Texts that queries make. Each has the limit of a stored label's text, which is asked before the
 * text is made.
 */

import { AppError } from '../../common/errors/app-error.js';
import { kIdentitySizeMax, utf8Size } from '../../common/model/names.js';
import { noteTextWork } from './text-work.js';

/**
 * In bytes: a stored label's text leaves room for its key. V8 hashes no string of more units by
 * what it says, so that a Map of such would be a list.
 */
export const kMadeTextMax = kIdentitySizeMax - 1;
/** UTF-8 takes at most so many bytes for a unit of UTF-16. */
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

/** Throws `query_limit_exceeded` for a long one, before anything is joined. */
export function joinedTexts(parts: readonly string[], between = ''): string {
  const gaps = Math.max(0, parts.length - 1);
  let units = gaps * between.length;
  for (const { length } of parts) units += length;
  requireMadeSize(units, () =>
    parts.reduce((sum, part) => sum + utf8Size(part), gaps * utf8Size(between)),
  );
  return parts.join(between);
}
