/** Positions in a text as Prometheus writes them, and errors with a position. */

import { AppError } from '../../../common/errors/app-error.js';
import { hintFor } from './hints.js';

/** `1:21`: line and column from 1, the column in bytes of UTF-8. `offset` is in UTF-16 units. */
export function textPlace(text: string, offset: number): string {
  if (text === '') return 'unknown position';
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${line}:${new TextEncoder().encode(before.slice(lineStart)).length + 1}`;
}

/** The message is Prometheus' own; the hint, if there is one, stands behind it. */
export function parseError(text: string, offset: number, message: string): AppError {
  const hint = hintFor(text, offset, message);
  return new AppError(
    'parse_failed',
    `${textPlace(text, offset)}: parse error: ${message}`,
    hint === undefined ? {} : { hint },
  );
}
