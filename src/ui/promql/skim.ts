/** Tokenizes an expression up to the first invalid token, with the server's lexer. */

import { AppError } from '../../common/errors/app-error.js';
import { Lexer } from '../../query/promql/syntax/lexer.js';

import type { Token } from '../../query/promql/syntax/token.js';

interface Skimmed {
  readonly tokens: readonly Token[];
  /** The offset of the text after the last token: the end, or an invalid token. */
  readonly restAt: number;
}

/** Blanks and comments between tokens. */
const between = /(?:[ \t\r\n]+|#[^\r\n]*)*/y;

export function skim(text: string): Skimmed {
  const lexer = new Lexer(text);
  const tokens: Token[] = [];
  for (;;) {
    const token = nextOf(lexer);
    if (token === null) return { tokens, restAt: behindBlanks(text, tokens.at(-1)?.end ?? 0) };
    tokens.push(token);
  }
}

/** Null: the end of the text, or an invalid token. */
function nextOf(lexer: Lexer): Token | null {
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
