/** Splits a text into statements, which end with semicolons. */

import { skim } from './lexer.js';

import type { Span } from './query-text.js';

interface Statements {
  /** Spans without semicolons and without surrounding white space and comments. */
  readonly ended: readonly Span[];
  /**
   * The last statement if it has no semicolon, from its first token on; null if nothing is left.
   */
  readonly begun: Span | null;
  /** True if the text ends inside a text, a quoted name or a comment. */
  readonly isOpen: boolean;
}

/** Does not parse the statements; running a statement reports its errors. */
export function findStatements(text: string): Statements {
  const { tokens, openAt } = skim(text);
  const ended: Span[] = [];
  let start: number | null = null;
  let end = 0;
  for (const token of tokens) {
    if (token.kind === 'end') break;
    if (token.kind === 'symbol' && token.known === ';') {
      if (start !== null) ended.push({ start, end });
      start = null;
      continue;
    }
    start ??= token.start;
    ({ end } = token);
  }
  // An unfinished token begins a statement, too.
  const begunAt = start ?? openAt;
  const begun = begunAt === null ? null : { start: begunAt, end: text.trimEnd().length };
  return { ended, begun, isOpen: openAt !== null };
}
