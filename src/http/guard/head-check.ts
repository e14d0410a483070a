/** Refuses ambiguous heads that two parsers could read differently (request smuggling). */

import { AppError } from '../../common/errors/app-error.js';

import type { RequestHead } from '../transport/transport.js';

/** Null if the head is valid. */
export function headFault(head: RequestHead): AppError | null {
  if (head.hasDuplicate) {
    return new AppError('invalid_request', 'a header that may occur only once occurs twice');
  }
  const { contentLength, transferEncoding } = head;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) {
      const message = 'Content-Length and Transfer-Encoding exclude each other';
      return new AppError('invalid_request', message);
    }
    if (transferEncoding.toLowerCase() !== 'chunked') {
      return new AppError('invalid_request', 'the only supported Transfer-Encoding is chunked');
    }
  }
  if (contentLength !== undefined && !isDigits(contentLength)) {
    return new AppError('invalid_request', 'Content-Length is not a number');
  }
  return null;
}

function isDigits(text: string): boolean {
  if (text.length === 0 || text.length > 15) return false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 48 || unit > 57) return false;
  }
  return true;
}
