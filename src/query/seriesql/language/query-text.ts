/** The text of a query, and errors that show their place in it. */

import { AppError } from '../../../common/errors/app-error.js';
import { beginningOf, visible } from '../../../common/model/visible-text.js';

import type { ErrorCode } from '../../../common/errors/catalog.js';

/** Offsets into the text; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Complaint {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An error shows about this many characters of the line around the caret. */
const kDrawnBefore = 60;
const kDrawnAfter = 40;

/** An error with its offset in the text. */
export class QueryError extends AppError {
  readonly offset: number;

  constructor(code: ErrorCode, message: string, offset: number) {
    super(code, message);
    this.offset = offset;
  }
}

export class QueryText {
  readonly text: string;
  /** The time zone of times written without one. */
  readonly zone: string;

  constructor(text: string, zone = 'UTC') {
    this.text = text;
    this.zone = zone;
  }

  /**
   * An error at `offset`: `line L, column C: message`, the source line, a caret below it, and the
   * hint. Lines and columns count from 1, columns in code points.
   */
  error(code: ErrorCode, offset: number, { message, hint }: Complaint): QueryError {
    const before = this.text.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    const line = before.split('\n').length;
    const column = Array.from(before.slice(lineStart)).length + 1;
    const drawn = this.#draw(lineStart, offset);
    const parts = [`line ${line}, column ${column}: ${message}`, ...drawn];
    if (hint !== undefined) parts.push(`hint: ${hint}`);
    return new QueryError(code, parts.join('\n'), offset);
  }

  #draw(lineStart: number, offset: number): readonly string[] {
    const newline = this.text.indexOf('\n', offset);
    const lineEnd = newline < 0 ? this.text.length : newline;
    // Neither end may split a surrogate pair.
    const whole = (at: number): number => beginningOf(this.text, at).length;
    const from = whole(Math.max(lineStart, offset - kDrawnBefore));
    const to = whole(Math.min(lineEnd, offset + kDrawnAfter));
    const lead = from > lineStart ? '…' : '';
    // Made printable first, so that the caret stands below its character.
    const drawn = (start: number, end: number): string =>
      visible(this.text.slice(start, end).replaceAll('\r', ''), '\t');
    const indent = Array.from(`${lead}${drawn(from, offset)}`)
      .map((character) => (character === '\t' ? '\t' : ' '))
      .join('');
    const shown = `${lead}${drawn(from, offset)}${drawn(offset, to)}${to < lineEnd ? '…' : ''}`;
    return [`  ${shown}`, `  ${indent}^`];
  }
}
