/** The words of an expression as far as the lexer of the server comes. */

import { AppError } from '../../common/errors/app-error.js';
import { Lexer } from '../../query/promql/syntax/lexer.js';

import type { Token } from '../../query/promql/syntax/token.js';

interface Skimmed {
  readonly tokens: readonly Token[];
  /** Where what stands behind them begins: nothing, or what is no word. */
  readonly restAt: number;
}

/** What parts words. */
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

/** Null: there is none, or something that is none. */
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
