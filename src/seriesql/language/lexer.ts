/**
 * Text to tokens in one pass. Each character is looked at a bounded number of times, so that no
 * text is slow. Throws `parse_failed` at the first thing that is no token.
 */

import { symbols, type Token, type TokenKind } from './token.js';

import type { QueryText } from './query-text.js';

const blank = /[\s\uFEFF]+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const date = /[0-9]{4}-[0-9]{2}-[0-9]{2}/y;
const timeOfDay = /T[0-9A-Za-z:.]*(?:[+-][0-9]{2}:[0-9]{2})?/y;
/** All that hangs together with a number; what it is, or that it is nothing, is seen later. */
const numberRun = /[0-9.][0-9A-Za-z_.]*/y;
const wordRun = /[0-9A-Za-z_]+/y;
const exponentSign = /^[0-9]*\.?[0-9]*[eE]$/;
const integer = /^[0-9]+$/;
const float = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const duration = /^(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|ms|mo|[smhdwy]))+$/;
const digit = /[0-9]/;

export function tokenize(source: QueryText): readonly Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: QueryText;
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(source: QueryText) {
    this.#source = source;
    this.#text = source.text;
  }

  run(): readonly Token[] {
    for (;;) {
      this.#skipBlanks();
      if (this.#at >= this.#text.length) break;
      this.#next();
    }
    this.#push('end', this.#at, '');
    return this.#tokens;
  }

  #next(): void {
    const start = this.#at;
    const first = this.#text[start] ?? '';
    if (first === "'") {
      this.#push('string', start, this.#quoted("'", 'string'));
    } else if (first === '"') {
      this.#push('quoted', start, this.#quoted('"', 'quoted name'));
    } else if (digit.test(first) || (first === '.' && digit.test(this.#text[start + 1] ?? ''))) {
      this.#number();
    } else {
      const found = this.#take(word);
      if (found !== null) this.#push('word', start, found);
      else this.#symbol();
    }
  }

  #push(kind: TokenKind, start: number, text: string): void {
    this.#tokens.push({ kind, text, start, end: this.#at });
  }

  /** The match of a sticky expression at this place, or null. */
  #take(expression: RegExp): string | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    for (;;) {
      this.#take(blank);
      if (this.#text.startsWith('--', this.#at)) {
        const newline = this.#text.indexOf('\n', this.#at);
        this.#at = newline < 0 ? this.#text.length : newline;
      } else if (this.#text.startsWith('/*', this.#at)) {
        const close = this.#text.indexOf('*/', this.#at + 2);
        if (close < 0) throw this.#fail(this.#at, 'this comment has no end', 'close it with */');
        this.#at = close + 2;
      } else {
        return;
      }
    }
  }

  /** What stands between quotes, a doubled quote being one. */
  #quoted(quote: string, what: string): string {
    const start = this.#at;
    const parts: string[] = [];
    for (;;) {
      const close = this.#text.indexOf(quote, this.#at + 1);
      if (close < 0) throw this.#fail(start, `this ${what} has no end`, `close it with ${quote}`);
      parts.push(this.#text.slice(this.#at + 1, close));
      this.#at = close + 1;
      if (this.#text[this.#at] !== quote) return parts.join(quote);
    }
  }

  #number(): void {
    const start = this.#at;
    if (this.#take(date) !== null) {
      this.#take(timeOfDay);
      const rest = this.#take(wordRun);
      if (rest !== null) throw this.#malformed(start, 'date');
      this.#push('timestamp', start, this.#text.slice(start, this.#at));
      return;
    }
    let text = this.#take(numberRun) ?? '';
    const sign = this.#text[this.#at];
    const follows = digit.test(this.#text[this.#at + 1] ?? '');
    if ((sign === '+' || sign === '-') && follows && exponentSign.test(text)) {
      this.#at += 1;
      text += sign + (this.#take(numberRun) ?? '');
    }
    if (integer.test(text)) this.#push('integer', start, text);
    else if (float.test(text)) this.#push('float', start, text);
    else if (duration.test(text)) this.#push('duration', start, text);
    else throw this.#malformed(start, 'number');
  }

  #symbol(): void {
    const start = this.#at;
    const found = symbols.find((symbol) => this.#text.startsWith(symbol, start));
    if (found === undefined) throw this.#unknownCharacter(start);
    this.#at += found.length;
    this.#push('symbol', start, found);
  }

  #unknownCharacter(start: number): Error {
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0);
    const hints: Readonly<Record<string, string>> = {
      '!': 'write not, or !=',
      '&': 'write and, or &&',
      '|': 'write or, or ||',
      '`': 'names are quoted with "',
      '[': 'there are no lists; write in (…)',
    };
    const shown = JSON.stringify(character);
    return this.#fail(start, `unexpected character ${shown}`, hints[character]);
  }

  #malformed(start: number, what: 'date' | 'number'): Error {
    const text = this.#text.slice(start, this.#at);
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    const hint =
      what === 'date'
        ? 'dates are written 2022-03-27 or 2022-03-27T10:00:00Z'
        : 'numbers are written 12, 1.5 or 1e9; durations 5m, 1.5h or 1h30m; ' +
          'their units are ns us ms s m h d w, and mo y in time_bucket';
    return this.#fail(start, `malformed ${what} ${shown}`, hint);
  }

  #fail(offset: number, message: string, hint?: string): Error {
    return this.#source.error('parse_failed', offset, message, hint);
  }
}
