/** Where the statements of a longer text stand, which semicolons end. */

import { skim } from './lexer.js';

import type { Span } from './query-text.js';

interface Statements {
  /** Without their semicolons, and without what is blank or a comment around them. */
  readonly ended: readonly Span[];
  /** What no semicolon ends, from its first token on; null where nothing is left. */
  readonly begun: Span | null;
  /** Whether the text breaks off in a text, a quoted name or a comment. */
  readonly isOpen: boolean;
}

/** None of them is looked into: what is wrong with a statement says who runs it. */
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
  // What breaks off is a beginning, too.
  const begunAt = start ?? openAt;
  const begun = begunAt === null ? null : { start: begunAt, end: text.trimEnd().length };
  return { ended, begun, isOpen: openAt !== null };
}
