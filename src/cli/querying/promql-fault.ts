/** Marks the fault of an expression below its text. */

import { SeriesDbError } from '../../client/client.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

const parameter = 'invalid parameter "query": ';
const place = /^(\d+):(\d+): (.*)$/s;

/** Rewrites the position of a PromQL error into the form of SeriesQL errors. */
export function withPlace(error: unknown, text: string): unknown {
  if (!(error instanceof SeriesDbError)) return error;
  const { code, status, retryAfterMs } = error;
  const told = error.message.replace(parameter, '');
  const [, line, column, what] = place.exec(told) ?? [];
  const message = what === undefined ? told : drawn(text, [Number(line), Number(column)], what);
  return new SeriesDbError({ code, status, message, retryAfterMs, cause: error });
}

/** Line and column count from 1; the column counts bytes of UTF-8. */
function drawn(text: string, [line, column]: readonly [number, number], message: string): string {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const bytes = Buffer.from(lines[line - 1] ?? '').subarray(0, column - 1);
  const offset = before + bytes.toString('utf8').length;
  return new QueryText(text).error('parse_failed', offset, { message }).message;
}
