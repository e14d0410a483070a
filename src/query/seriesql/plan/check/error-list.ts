/**
 * The errors of a statement, up to a limit, so that one correction can fix them all. The error
 * found first comes first; the others follow in text order.
 */

import { AppError } from '../../../../common/errors/app-error.js';
import { QueryError, type Span } from '../../language/query-text.js';

/** The most errors to report. */
export const kErrorsMax = 10;
/** The most wrong parts, including those whose errors are unreported consequences. */
const kWrongPartsMax = 100;

export class ErrorList {
  readonly #found: QueryError[] = [];
  /** The wrong parts of the text. */
  readonly #spans: Span[] = [];

  /**
   * Keeps the error of a part, so that checking can continue. An error inside a part known to be
   * wrong is a consequence and is dropped. Throws any other kind of error, and at the limit.
   */
  record(error: unknown, span: Span): void {
    if (!(error instanceof QueryError) || error.code !== 'validation_failed') throw error;
    const isConsequence = this.#spans.some((one) => isInside(error.offset, one));
    this.#spans.push(span);
    if (!isConsequence) this.#found.push(error);
    if (this.#found.length >= kErrorsMax || this.count >= kWrongPartsMax) throw error;
  }

  /** The number of wrong parts so far, reported or not. */
  get count(): number {
    return this.#spans.length;
  }

  /** Throws if there is an error: further checks would only find consequences. */
  settle(): void {
    const [first] = this.#found;
    if (first !== undefined) throw first;
  }

  /** The error to report if checking ended with `last`. */
  allWith(last: unknown): unknown {
    const [first, ...others] = this.#found;
    if (first === undefined) return last;
    const isNew = last instanceof QueryError && !this.#found.includes(last);
    const isTold = isNew && !this.#spans.some((one) => isInside(last.offset, one));
    if (isTold) others.push(last);
    if (others.length === 0) return first;
    const inOrder = [...others].sort((left, right) => left.offset - right.offset);
    const messages = [first, ...inOrder].map(({ message }) => message);
    return new AppError(first.code, messages.join('\n'));
  }
}

function isInside(offset: number, { start, end }: Span): boolean {
  return offset >= start && offset < end;
}
