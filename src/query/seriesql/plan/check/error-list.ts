/**
 * What is wrong with a statement, up to a limit: one that is corrected should not have to be asked
 * again for each mistake in it. What was found first comes first, and the others follow as they
 * stand in the text.
 */

import { AppError } from '../../../../common/errors/app-error.js';
import { QueryError, type Span } from '../../language/query-text.js';

/** More are not looked for. */
export const kErrorsMax = 10;
/** Nor more than this with those that are only a consequence, and are not told. */
const kWrongPartsMax = 100;

export class ErrorList {
  readonly #found: QueryError[] = [];
  /** Parts of the text that are wrong. */
  readonly #spans: Span[] = [];

  /**
   * Keeps the error of a part, so that work can go on without it. An error inside a part that is
   * known to be wrong is its consequence. Throws what nobody can go past, and at the limit.
   */
  record(error: unknown, span: Span): void {
    if (!(error instanceof QueryError) || error.code !== 'validation_failed') throw error;
    const isConsequence = this.#spans.some((one) => isInside(error.offset, one));
    this.#spans.push(span);
    if (!isConsequence) this.#found.push(error);
    if (this.#found.length >= kErrorsMax || this.count >= kWrongPartsMax) throw error;
  }

  /** How many were kept or left out so far. */
  get count(): number {
    return this.#spans.length;
  }

  /** Throws when there is an error: what follows would only find consequences. */
  settle(): void {
    const [first] = this.#found;
    if (first !== undefined) throw first;
  }

  /** The error to answer with, when checking ended with `last`. */
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
