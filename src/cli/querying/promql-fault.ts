/** Where an expression is wrong, drawn below it. */

import { SeriesDbError } from '../../client/client.js';
import { QueryText } from '../../query/seriesql/language/query-text.js';

const parameter = 'invalid parameter "query": ';
const place = /^(\d+):(\d+): (.*)$/s;

/** The same error with its place as errors of SeriesQL tell it. */
export function withPlace(error: unknown, text: string): unknown {
  if (!(error instanceof SeriesDbError)) return error;
  const { code, status, retryAfterMs } = error;
  const told = error.message.replace(parameter, '');
  const [, line, column, what] = place.exec(told) ?? [];
  const message = what === undefined ? told : drawn(text, [Number(line), Number(column)], what);
  return new SeriesDbError({ code, status, message, retryAfterMs, cause: error });
}

/** The column counts bytes of UTF-8, both from 1. */
function drawn(text: string, [line, column]: readonly [number, number], message: string): string {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const bytes = Buffer.from(lines[line - 1] ?? '').subarray(0, column - 1);
  const offset = before + bytes.toString('utf8').length;
  return new QueryText(text).error('parse_failed', offset, { message }).message;
}
