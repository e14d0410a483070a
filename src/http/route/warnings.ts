/** What a client should learn although its request was answered, in the header `Warning`. */

import { AppError } from '../../common/errors/app-error.js';

/** 299 is a warning of any kind, as Kubernetes sends it; the agent has no name. */
export function warningHeader(text: string): readonly [string, string] {
  const plain = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return ['warning', `299 - "${plain}"`];
}

/** What was ignored may be why a request was refused. */
export function withWarnings(error: AppError, warnings: readonly string[]): AppError {
  if (warnings.length === 0 || error.status >= 500) return error;
  const { code, message, hint, cause } = error;
  const hinted = hint === undefined ? {} : { hint };
  return new AppError(code, [message, ...warnings].join('; '), { cause, ...hinted });
}
