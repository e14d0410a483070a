import { AppError } from '../../common/errors/app-error.js';

import type { Statement } from './language/ast.js';
import type { QueryText } from './language/query-text.js';

/** The context of an error: the query text, its statement, and a lookup for the intended metric. */
interface ErrorPlace {
  readonly source: QueryText;
  readonly statement: Statement;
  /** For `series_not_found`: a hint for the name of the only metric read. */
  readonly meantMetric: ((metric: string) => Promise<string | undefined>) | undefined;
}

/**
 * Places errors in the text. Errors of the selection point at the source after FROM. If an INSERT
 * makes an invalid record, the error points at the statement.
 */
export async function placed(
  error: unknown,
  { source, statement, meantMetric }: ErrorPlace,
): Promise<unknown> {
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
  const { code, message } = error;
  const isOfMetric = code === 'series_not_found' && from.kind === 'name' && !from.isFamily;
  const meant = isOfMetric ? await meantMetric?.(from.name) : undefined;
  const hint = meant ?? (isOfMetric ? 'show metrics lists the metrics' : undefined);
  return source.error(code, from.span.start, { message, hint });
}
