/** The only error class that crosses rooms, and the conversion of thrown values to it. */

import { isErrorCode, statusOf, type ErrorCode } from './catalog.js';

interface AppErrorOptions extends ErrorOptions {
  readonly hint?: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  /** A hint, if the message has a foreign format. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options?: AppErrorOptions) {
    super(message, options);
    this.hint = options?.hint;
    this.name = 'AppError';
    this.code = code;
  }

  get status(): number {
    return statusOf(this.code);
  }
}

/**
 * Gives a thrown value its catalogue code. Native errors carry `code`; anything without a known
 * code is our own fault, and its message stays inside (it may hold paths), kept as `cause`.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof Error && 'code' in thrown && isErrorCode(thrown.code)) {
    return new AppError(thrown.code, thrown.message, { cause: thrown });
  }
  return new AppError('internal_error', 'the server met an internal error', { cause: thrown });
}
