/** The only error class that crosses rooms, and the conversion of thrown values to it. */

import { isErrorCode, statusOf, type ErrorCode } from './catalog.js';

interface AppErrorOptions extends ErrorOptions {
  readonly hint?: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  /** A hint, if a foreign format fixes the message. */
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
 * Converts a thrown value to an AppError. Native errors carry a catalogue `code`. Any other error
 * is a fault of seriesdb: its message, which may hold paths, stays inside as `cause`.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof Error && 'code' in thrown && isErrorCode(thrown.code)) {
    return new AppError(thrown.code, thrown.message, { cause: thrown });
  }
  return new AppError('internal_error', 'the server met an internal error', { cause: thrown });
}
