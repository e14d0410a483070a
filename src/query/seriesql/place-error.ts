import { AppError } from '../../common/errors/app-error.js';

import type { Statement } from './language/ast.js';
import type { QueryText } from './language/query-text.js';

/** What is known of an error: the text that it is about, and the metric that was meant. */
interface Place {
  readonly source: QueryText;
  readonly statement: Statement;
  /** For `series_not_found`: given the name of the one metric that is read. */
  readonly meantMetric: ((metric: string) => Promise<string | undefined>) | undefined;
}

/**
 * Errors of the selection point at what stands after FROM. What an INSERT names may be no record:
 * then the text is at fault, and not a line of it.
 */
export async function placed(
  error: unknown,
  { source, statement, meantMetric }: Place,
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
