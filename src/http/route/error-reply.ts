/** Errors as answers: `{"error","code","status"}` and the headers of some codes. */

import { catalog, type ErrorCode } from '../../common/errors/catalog.js';

import type { AppError } from '../../common/errors/app-error.js';
import type { Reply } from './reply.js';

type ErrorHeaders = readonly (readonly [string, string])[];

/** In seconds. Temporary errors are mostly over by then. */
const retryAfter = '1';

/** Headers of a code, unless the answer overrides them. */
export function headersOf(code: ErrorCode, status: number = catalog[code].status): ErrorHeaders {
  if (catalog[code].retry) return [['retry-after', retryAfter]];
  return status === 401 ? [['www-authenticate', 'Bearer']] : [];
}

export function errorReply(
  error: AppError,
  headers: ErrorHeaders = headersOf(error.code, error.status),
): Reply {
  const { code, status } = error;
  const body = JSON.stringify({ error: error.message, code, status });
  return { status, contentType: 'application/json', headers, body };
}
