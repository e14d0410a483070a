/** Errors as answers: `{"error","code","status"}` and the headers that go with some codes. */

import type { AppError } from '../errors/app-error.js';
import type { Reply } from './reply.js';

const extraHeaders: Readonly<Record<number, readonly (readonly [string, string])[]>> = {
  401: [['www-authenticate', 'Bearer']],
  503: [['retry-after', '1']],
};

export function errorReply(error: AppError, headers = extraHeaders[error.status] ?? []): Reply {
  const { code, status } = error;
  const body = JSON.stringify({ error: error.message, code, status });
  return { status, contentType: 'application/json', headers, body };
}
