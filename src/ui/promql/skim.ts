/** Tokenizes an expression up to the first invalid token, with the server's lexer. */

import { AppError } from '../../common/errors/app-error.js';
import { PromqlLexer } from '../../query/promql/syntax/lexer.js';

import type { PromqlToken } from '../../query/promql/syntax/token.js';

interface SkimmedPromql {
  readonly tokens: readonly PromqlToken[];
  /** The offset of the text after the last token: the end, or an invalid token. */
  readonly restAt: number;
}

/** Blanks and comments between tokens. */
const between = /(?:[ \t\r\n]+|#[^\r\n]*)*/y;

export function skim(text: string): SkimmedPromql {
  const lexer = new PromqlLexer(text);
  const tokens: PromqlToken[] = [];
  for (;;) {
    const token = nextOf(lexer);
    if (token === null) return { tokens, restAt: behindBlanks(text, tokens.at(-1)?.end ?? 0) };
    tokens.push(token);
  }
}

/** Null: the end of the text, or an invalid token. */
function nextOf(lexer: PromqlLexer): PromqlToken | null {
  try {
    const token = lexer.next();
    return token.kind === 'end of input' ? null : token;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function behindBlanks(text: string, at: number): number {
  between.lastIndex = at;
  between.test(text);
  return between.lastIndex;
}
