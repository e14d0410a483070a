/** The error codes that follow from the name of a field. */

import { AppError } from '../../errors/app-error.js';
import { isErrorCode, type ErrorCode } from '../../errors/catalog.js';

/** Throws at start when the error catalogue lacks it. */
export function invalidCode(key: string): ErrorCode {
  return codeFor(`invalid_${key}`);
}

/** Throws at start when the error catalogue lacks it. */
export function missingCode(key: string): ErrorCode {
  return codeFor(`missing_${key}`);
}

function codeFor(text: string): ErrorCode {
  if (!isErrorCode(text)) throw new Error(`the error catalogue lacks ${text}`);
  return text;
}

/** Where a choice that is misspelt would be the choice of everything. Throws `unknown_field`. */
export function refuseUnknown(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const rest = known.length === 0 ? 'nothing can be said here' : `none of ${known.join(', ')}`;
    throw new AppError('unknown_field', `${name} is not known: ${rest}`);
  }
}
