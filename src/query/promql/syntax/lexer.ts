/**
 * Splits a text into tokens on demand, so errors after the first are never found. Throws
 * `parse_failed` at the first invalid token, at Prometheus' position.
 */

import type { AppError } from '../../../common/errors/app-error.js';
import { classOf, inDurations, isNone, isQuote, kBackslash, kColon } from './characters.js';
import { kBlank, kDigit, kHash, kLetter, kNewline, kSurrogate, lineEnd } from './characters.js';
import { symbols } from './characters.js';
import { scanDuration, scanNumber } from './number-text.js';
import { goQuote, goQuoteCharacter } from './quote.js';
import { scanEscape } from './string-text.js';
import { parseError } from './text-place.js';
import { kWordMax, words, type PromqlToken, type PromqlTokenKind } from './token.js';

export class PromqlLexer {
  readonly text: string;
  #at = 0;
  #openParens = 0;
  #isInBraces = false;
  #isInBrackets = false;
  /** True between `[` and its first number, where neither words nor a colon are allowed. */
  #isBeforeDuration = false;
  #hasColon = false;
  #hasDuration = false;

  constructor(text: string) {
    this.text = text;
  }

  next(): PromqlToken {
    if (this.#isBeforeDuration) return this.#beforeDuration();
    this.#skip();
    return this.#isInBraces ? this.#inBraces() : this.#outside();
  }

  error(offset: number, message: string): AppError {
    return parseError(this.text, offset, message);
  }

  /** Skips white space and comments. */
  #skip(): void {
    this.#skipBlanks();
    while (this.text.charCodeAt(this.#at) === kHash) {
      this.#at = lineEnd(this.text, this.#at);
      this.#skipBlanks();
    }
  }

  #skipBlanks(): void {
    while (classOf(this.text.charCodeAt(this.#at)) === kBlank) this.#at += 1;
  }

  #outside(): PromqlToken {
    const code = this.text.charCodeAt(this.#at);
    const kind = classOf(code);
    if (kind === kLetter || code === kColon) return this.#word(code);
    if (kind === kDigit) return this.#number();
    const symbol = symbols[code];
    if (symbol !== undefined) return this.#open(symbol);
    const one = this.#character();
    if (one === '.' && this.#isDigitBehind()) return this.#number();
    if (one === '') return this.#end();
    if (isQuote(one)) return this.#string(one);
    return this.#closing(one) ?? this.#comparison(one);
  }

  #isDigitBehind(): boolean {
    return classOf(this.text.charCodeAt(this.#at + 1)) === kDigit;
  }

  #end(): PromqlToken {
    if (this.#openParens !== 0) throw this.error(this.#at, 'unclosed left parenthesis');
    if (this.#isInBrackets) throw this.error(this.#at, 'unclosed left bracket');
    return this.#token('end of input', 0);
  }

  #open(symbol: PromqlTokenKind): PromqlToken {
    if (symbol === '(') this.#openParens += 1;
    return this.#token(symbol, 1);
  }

  #closing(one: string): PromqlToken | null {
    if (one === ')') return this.#closeParenthesis();
    if (one === '{') {
      this.#isInBraces = true;
      return this.#token('{', 1);
    }
    if (one === '[') return this.#openBracket();
    if (one !== ']') return null;
    if (!this.#isInBrackets) throw this.#unexpected('right bracket');
    this.#isInBrackets = false;
    return this.#token(']', 1);
  }

  #openBracket(): PromqlToken {
    if (this.#isInBrackets) throw this.#unexpected('left bracket');
    this.#hasColon = false;
    this.#isInBrackets = true;
    this.#isBeforeDuration = true;
    return this.#token('[', 1);
  }

  #closeParenthesis(): PromqlToken {
    this.#openParens -= 1;
    // Prometheus reports an unmatched parenthesis at the position after it.
    if (this.#openParens < 0) {
      throw this.error(this.#at + 1, `unexpected right parenthesis ')'`);
    }
    return this.#token(')', 1);
  }

  #comparison(one: string): PromqlToken {
    const two = this.text.slice(this.#at, this.#at + 2);
    if (two === '==' || two === '!=' || two === '<=' || two === '>=') return this.#token(two, 2);
    if (one === '<' || one === '>') return this.#token(one, 1);
    if (one === '=' && two !== '=~') return this.#token('=', 1);
    if (one === '=' || one === '!') {
      throw this.error(this.#at, `unexpected character after '${one}': ${this.#quotedBehind()}`);
    }
    throw this.#unexpected('character:');
  }

  #word(first: number): PromqlToken {
    if (this.#isInBrackets) return this.#colon(first);
    let end = this.#at;
    let hasColon = false;
    for (;;) {
      const code = this.text.charCodeAt(end);
      if (code === kColon) hasColon = true;
      else if ((classOf(code) & (kLetter | kDigit)) === 0) break;
      end += 1;
    }
    const written = this.text.slice(this.#at, end);
    const kind = written.length > kWordMax ? undefined : words.get(written.toLowerCase());
    const name = hasColon ? 'metric identifier' : 'identifier';
    return this.#token(kind ?? name, end - this.#at);
  }

  #colon(code: number): PromqlToken {
    if (code !== kColon) {
      const one = goQuoteCharacter(this.#character());
      throw this.error(this.#at, `unexpected character: ${one}, expected ':'`);
    }
    if (this.#hasColon) throw this.#unexpected('colon');
    this.#hasColon = true;
    return this.#token(':', 1);
  }

  #number(): PromqlToken {
    const number = scanNumber(this.text, this.#at);
    if (number.isWhole) return this.#token('number', number.end - this.#at);
    const duration = scanDuration(this.text, number.end);
    if (duration.isWhole) return this.#token('duration', duration.end - this.#at);
    const written = goQuote(this.text.slice(this.#at, duration.end));
    throw this.error(this.#at, `bad number or duration syntax: ${written}`);
  }

  #string(quote: string): PromqlToken {
    const isRaw = quote === '`';
    const quoteCode = quote.charCodeAt(0);
    let at = this.#at + 1;
    for (;;) {
      const code = this.text.charCodeAt(at);
      if (code === quoteCode) return this.#token('string', at + 1 - this.#at);
      if (at >= this.text.length || (code === kNewline && !isRaw)) {
        throw this.error(this.#at, `unterminated ${isRaw ? 'raw' : 'quoted'} string`);
      }
      if (code >= kSurrogate && isNone(this.text.codePointAt(at) ?? 0)) {
        throw this.error(this.#at, 'invalid UTF-8 rune');
      }
      const isPair = code >= kSurrogate && (this.text.codePointAt(at) ?? 0) > 0xffff;
      if (code === kBackslash && !isRaw) at = this.#behindEscape(at + 1, quote);
      else at += isPair ? 2 : 1;
    }
  }

  #behindEscape(at: number, quote: string): number {
    const { end, problem } = scanEscape(this.text, at, quote);
    if (problem !== null) throw this.error(this.#at, problem);
    return end;
  }

  #inBraces(): PromqlToken {
    const one = this.#character();
    if (one === '') throw this.error(this.#at, 'unexpected end of input inside braces');
    const two = this.text.slice(this.#at, this.#at + 2);
    if (two === '=~' || two === '!~' || two === '!=') return this.#token(two, 2);
    if (one === ',' || one === '=') return this.#token(one, 1);
    if (isQuote(one)) return this.#string(one);
    if (classOf(one.charCodeAt(0)) === kLetter) return this.#labelName();
    if (one === '}') {
      this.#isInBraces = false;
      return this.#token('}', 1);
    }
    if (one === '{') throw this.#unexpected('left brace');
    if (one !== '!') throw this.#unexpected('character inside braces:');
    const behind = this.#quotedBehind();
    throw this.error(this.#at, `unexpected character after '!' inside braces: ${behind}`);
  }

  /** Inside braces, words are label names. */
  #labelName(): PromqlToken {
    let end = this.#at;
    while ((classOf(this.text.charCodeAt(end)) & (kLetter | kDigit)) !== 0) end += 1;
    return this.#token('identifier', end - this.#at);
  }

  #beforeDuration(): PromqlToken {
    this.#skipBlanks();
    const one = this.#character();
    const inDuration = 'in duration expression';
    if (one === '') throw this.error(this.#at, `unexpected end of input ${inDuration}`);
    if (one === ')') return this.#closeParenthesis();
    if (one === ':') return this.#colonOfDuration();
    const symbol = symbols[one.charCodeAt(0)];
    if (symbol !== undefined && inDurations.has(symbol)) return this.#open(symbol);
    if (one === ']') {
      this.#isBeforeDuration = false;
      return this.#closing(one) ?? this.#end();
    }
    const isDigit = classOf(one.charCodeAt(0)) === kDigit;
    if (!isDigit && !(one === '.' && this.#isDigitBehind())) {
      throw this.#unexpected(`character ${inDuration}:`);
    }
    this.#hasDuration = true;
    this.#isBeforeDuration = false;
    return this.#number();
  }

  #colonOfDuration(): PromqlToken {
    const what = this.#hasDuration ? 'repeated colon' : 'colon before duration';
    if (!this.#hasDuration || this.#hasColon) {
      throw this.error(this.#at + 1, `unexpected ${what} in duration expression`);
    }
    this.#hasColon = true;
    return this.#token(':', 1);
  }

  #token(kind: PromqlTokenKind, length: number): PromqlToken {
    const start = this.#at;
    this.#at += length;
    return { kind, start, end: this.#at };
  }

  #unexpected(what: string): AppError {
    return this.error(this.#at, `unexpected ${what} ${goQuoteCharacter(this.#character())}`);
  }

  #character(): string {
    return this.#characterAt(this.#at);
  }

  /** Go represents the end of a text as U+FFFD. */
  #quotedBehind(): string {
    const behind = this.#characterAt(this.#at + 1);
    return behind === '' ? "'\uFFFD'" : goQuoteCharacter(behind);
  }

  #characterAt(at: number): string {
    const code = this.text.codePointAt(at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }
}
