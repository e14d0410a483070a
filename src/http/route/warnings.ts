/** The header `Warning`: notices for the client of an answered request. */

import { AppError } from '../../common/errors/app-error.js';

/** Code 299 is a miscellaneous warning, as in Kubernetes. The agent has no name. */
export function warningHeader(text: string): readonly [string, string] {
  const plain = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return ['warning', `299 - "${plain}"`];
}

/** Adds the warnings to the error: an ignored part may be the reason of the refusal. */
export function withWarnings(error: AppError, warnings: readonly string[]): AppError {
  if (warnings.length === 0 || error.status >= 500) return error;
  const { code, message, hint, cause } = error;
  const hinted = hint === undefined ? {} : { hint };
  return new AppError(code, [message, ...warnings].join('; '), { cause, ...hinted });
}
