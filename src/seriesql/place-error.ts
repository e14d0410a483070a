import { AppError } from '../errors/app-error.js';

import type { Statement } from './language/ast.js';
import type { QueryText } from './language/query-text.js';

/**
 * Errors of the selection point at what stands after FROM. What an INSERT names may be no record:
 * then the text is at fault, and not a line of it.
 */
export function placed(error: unknown, source: QueryText, statement: Statement): unknown {
  if (error instanceof AppError && error.code === 'invalid_record') {
    const message = error.message.replace(/^line [0-9]+: /, '');
    return source.error('validation_failed', statement.span.start, { message });
  }
  const isOfSelection =
    error instanceof AppError &&
    (error.code === 'series_not_found' || error.code === 'ambiguous_selector');
  const inner = statement.kind === 'explain' ? statement.statement : statement;
  const from = inner.kind === 'insert' || inner.kind === 'explain' ? null : inner.from;
  if (!isOfSelection || from === null) return error;
  const { message } = error;
  return source.error(error.code, from.span.start, { message });
}
