/** A cursor over tokens. Its errors name the expected and the found token. */

import { didYouMean } from '../../../common/model/nearest.js';
import { elided } from '../../../common/model/visible-text.js';
import { durationOfInterval } from './foreign.js';
import { contextWords, reservedWords, type Token } from './token.js';

import type { QueryText, Span } from './query-text.js';

/** The deepest nesting of parentheses, calls and similar forms. */
const kNestingMax = 64;

export class TokenCursor {
  readonly source: QueryText;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  #nesting = 0;

  constructor(source: QueryText, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
    const size = source.text.length;
    this.#end = tokens.at(-1) ?? { kind: 'end', text: '', known: '', start: size, end: size };
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? this.#end;
  }

  take(): Token {
    const token = this.peek();
    if (this.#at < this.#tokens.length - 1) this.#at += 1;
    return token;
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    return this.peek(ahead).known === symbol;
  }

  isWord(word: string, ahead = 0): boolean {
    return this.peek(ahead).known === word;
  }

  takeSymbol(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.take();
    return found;
  }

  takeWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.take();
    return found;
  }

  expectSymbol(symbol: string): Token {
    if (!this.isSymbol(symbol)) throw this.expected(`"${symbol}"`);
    return this.take();
  }

  expectWord(word: string): Token {
    if (!this.isWord(word)) throw this.expected(word.toUpperCase(), [word]);
    return this.take();
  }

  /** True for a word that may be a name: not reserved, or quoted. */
  isName(ahead = 0): boolean {
    const token = this.peek(ahead);
    if (token.kind === 'quoted') return true;
    return token.kind === 'word' && !reservedWords.has(token.known);
  }

  expectName(what: string): Token {
    if (this.isName()) return this.take();
    throw this.expected(what, [], this.#nameHint());
  }

  expectString(what: string): Token {
    if (this.peek().kind === 'string') return this.take();
    const isName = this.peek().kind === 'quoted';
    throw this.expected(what, [], isName ? "texts are written in single quotes: '…'" : undefined);
  }

  /** From `start` to the end of the last token taken. */
  spanFrom(start: number): Span {
    const last = this.#tokens[this.#at - 1] ?? this.#end;
    return { start, end: Math.max(start, last.end) };
  }

  /** Runs `parse` one level deeper. Throws `parse_failed` beyond 64 levels. */
  nested<T>(parse: () => T): T {
    if (this.#nesting === kNestingMax) {
      throw this.fail(this.peek().start, `nesting is deeper than ${kNestingMax} levels`);
    }
    this.#nesting += 1;
    const result = parse();
    this.#nesting -= 1;
    return result;
  }

  /** `words`: candidates for a hint on a misspelled word, besides every keyword. */
  expected(what: string, words: readonly string[] = [], hint?: string): Error {
    const token = this.peek();
    const message = `expected ${what}, found ${describe(token)}`;
    return this.fail(token.start, message, hint ?? this.#spelledDuration(token, words));
  }

  fail(offset: number, message: string, hint?: string): Error {
    return this.source.error('parse_failed', offset, { message, hint });
  }

  /** The hint for `24 hours`, or for a misspelt word. */
  #spelledDuration(token: Token, words: readonly string[]): string | undefined {
    const count = this.#tokens[this.#at - 1]?.text ?? '';
    const duration = /^[0-9]{1,9}$/.test(count)
      ? durationOfInterval(`${count} ${token.text}`)
      : null;
    return duration === null ? this.#meant(token, words) : `write ${duration}`;
  }

  #meant(token: Token, words: readonly string[]): string | undefined {
    if (token.kind !== 'word') return undefined;
    if (reservedWords.has(token.known) || contextWords.includes(token.known)) return undefined;
    return didYouMean(token.text, words.length > 0 ? words : [...reservedWords, ...contextWords]);
  }

  #nameHint(): string | undefined {
    const token = this.peek();
    if (token.kind === 'string') return 'names are quoted with ", texts with \'';
    if (token.kind !== 'word' || !reservedWords.has(token.known)) return undefined;
    return `${token.known} is a keyword; as a name it is written "${token.text}"`;
  }
}

function describe(token: Token): string {
  if (token.kind === 'end') return 'the end of the query';
  const shown = elided(token.text, 40);
  if (token.kind === 'string') return `the string '${shown}'`;
  return token.kind === 'quoted' ? `the name "${shown}"` : `"${shown}"`;
}
