/** Error codes derived from the name of a field. */

import { isErrorCode, type ErrorCode } from '../../common/errors/catalog.js';

/** Throws at start if the error catalogue lacks the code. */
export function invalidCode(key: string): ErrorCode {
  return codeFor(`invalid_${key}`);
}

/** Throws at start if the error catalogue lacks the code. */
export function missingCode(key: string): ErrorCode {
  return codeFor(`missing_${key}`);
}

function codeFor(text: string): ErrorCode {
  if (!isErrorCode(text)) throw new Error(`the error catalogue lacks ${text}`);
  return text;
}
