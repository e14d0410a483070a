/**
 * Splits a text into tokens in one pass. Each character is examined a bounded number of times, so
 * no text is slow. Throws `parse_failed` at the first invalid token.
 */

import { elided } from '../../../common/model/visible-text.js';
import { durationOfInterval } from './foreign.js';
import { QueryError, QueryText, type Span } from './query-text.js';
import { durationForm } from './time-literal.js';
import { longSymbols, shortSymbols, type Token, type TokenKind } from './token.js';

/** White space, including Unicode's. */
const blank = /[\s\uFEFF]+/y;
const date = /[0-9]{4}-[0-9]{2}-[0-9]{2}/y;
const timeOfDay = /T[0-9A-Za-z:.]*(?:[+-][0-9]{2}:[0-9]{2})?/y;
/** All characters connected with a number. Later code decides whether they form one. */
const numberRun = /[0-9.][0-9A-Za-z_.]*/y;
const wordRun = /[0-9A-Za-z_]+/y;
const exponentSign = /^[0-9]*\.?[0-9]*[eE]$/;
const integer = /^[0-9]+$/;
const float = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** Character classes, as bits. Other characters have no bit. */
const kDigit = 1;
const kLetter = 2;
const kBlank = 4;
/** The first character of a two-character symbol. */
const kLong = 8;
const kDot = 16;

const kMinus = '-'.charCodeAt(0);
const kSlash = '/'.charCodeAt(0);

const classes = new Uint8Array(128);
const classOf = (code: number): number => (code < 128 ? (classes[code] ?? 0) : 0);
const classify = (characters: string, bit: number): void => {
  for (const one of characters) {
    const code = one.charCodeAt(0);
    classes[code] = classOf(code) | bit;
  }
};
classify('0123456789', kDigit);
classify('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', kLetter);
classify(' \t\n\v\f\r', kBlank);
classify('<>!=&|', kLong);
classify('.', kDot);

/** The tokens of the whole text, or of a part that begins at a token. */
export function tokenize(source: QueryText, part?: Span): readonly Token[] {
  if (part === undefined) return new Lexer(source.text, source).run();
  return new Lexer(source.text.slice(0, part.end), source, part.start).run();
}

interface SkimmedText {
  /** Always ends with an `end` token. */
  readonly tokens: readonly Token[];
  /** The offset of an unfinished text, quoted name or comment; null if there is none. */
  readonly openAt: number | null;
}

/** The tokens of an unfinished text. Invalid tokens count as symbols. */
export function skim(text: string): SkimmedText {
  // Its errors are never shown. The empty QueryText saves the time to draw them.
  return new Lexer(text, new QueryText('')).skim();
}

const writtenForms = {
  date: 'dates are written 2022-03-27 or 2022-03-27T10:00:00Z',
  number:
    'numbers are written 12, 1.5 or 1e9; durations 5m, 1.5h or 1h30m; ' +
    'their units are ns us ms s m h d w, and mo y in time_bucket',
};

class Lexer {
  readonly #source: QueryText;
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #at: number;
  /** The offset of an unfinished token. */
  #openAt: number | null = null;

  constructor(text: string, source: QueryText, start = 0) {
    this.#source = source;
    this.#text = text;
    this.#at = start;
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

  skim(): SkimmedText {
    for (;;) {
      try {
        this.run();
        break;
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        if (this.#openAt !== null) break;
        // The lexer has skipped a malformed token already, but not an unknown character.
        if (this.#at === error.offset) this.#at += 1;
        this.#push('symbol', error.offset, this.#text.slice(error.offset, this.#at));
      }
    }
    if (this.#openAt !== null) {
      this.#at = this.#text.length;
      this.#push('end', this.#at, '');
    }
    return { tokens: this.#tokens, openAt: this.#openAt };
  }

  /** The class of a character; 0 past the end. */
  #class(at: number): number {
    return at < this.#text.length ? classOf(this.#text.charCodeAt(at)) : 0;
  }

  /** The end of the run of characters from `at` that have one of the bits. */
  #endOf(at: number, bits: number): number {
    const text = this.#text;
    let end = at;
    while (end < text.length && (classOf(text.charCodeAt(end)) & bits) !== 0) end += 1;
    return end;
  }

  #next(): void {
    const start = this.#at;
    const first = this.#class(start);
    if ((first & kLetter) !== 0) this.#word(start);
    else if ((first & kDigit) !== 0) this.#number(start);
    else if ((first & kDot) !== 0 && (this.#class(start + 1) & kDigit) !== 0) this.#number(start);
    else if (this.#text[start] === "'") this.#push('string', start, this.#quoted("'", 'string'));
    else if (this.#text[start] === '"') {
      this.#push('quoted', start, this.#quoted('"', 'quoted name'));
    } else this.#symbol((first & kLong) !== 0);
  }

  #push(kind: TokenKind, start: number, text: string): void {
    const known = kind === 'word' ? text.toLowerCase() : kind === 'symbol' ? text : '';
    this.#tokens.push({ kind, text, known, start, end: this.#at });
  }

  #word(start: number): void {
    this.#at = this.#endOf(start, kLetter | kDigit);
    const text = this.#text.slice(start, this.#at);
    this.#push('word', start, text);
  }

  /** The match of a sticky expression at the current offset, or null. */
  #take(expression: RegExp): string | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    for (;;) {
      this.#at = this.#endOf(this.#at, kBlank);
      if (this.#at >= this.#text.length) return;
      const code = this.#text.charCodeAt(this.#at);
      if (code < 128 && code !== kMinus && code !== kSlash) return;
      if (this.#take(blank) !== null) continue;
      if (this.#text.startsWith('--', this.#at)) {
        const newline = this.#text.indexOf('\n', this.#at);
        this.#at = newline < 0 ? this.#text.length : newline;
      } else if (this.#text.startsWith('/*', this.#at)) {
        const close = this.#text.indexOf('*/', this.#at + 2);
        if (close < 0) throw this.#unfinished(this.#at, 'comment', '*/');
        this.#at = close + 2;
      } else {
        return;
      }
    }
  }

  /** The text between quotes. A doubled quote stands for one. */
  #quoted(quote: string, what: string): string {
    const start = this.#at;
    const parts: string[] = [];
    for (;;) {
      const close = this.#text.indexOf(quote, this.#at + 1);
      if (close < 0) throw this.#unfinished(start, what, quote);
      parts.push(this.#text.slice(this.#at + 1, close));
      this.#at = close + 1;
      if (this.#text[this.#at] !== quote) return parts.join(quote);
    }
  }

  #number(start: number): void {
    const end = this.#endOf(start, kDigit);
    const next = this.#class(end);
    if ((next & (kLetter | kDot)) === 0 && this.#text.charCodeAt(end) !== kMinus) {
      this.#at = end;
      this.#push('integer', start, this.#text.slice(start, end));
    } else if (this.#take(date) !== null) this.#date(start);
    else this.#oddNumber(start);
  }

  #date(start: number): void {
    this.#take(timeOfDay);
    const rest = this.#take(wordRun);
    if (rest !== null) throw this.#malformed(start, 'date');
    this.#push('timestamp', start, this.#text.slice(start, this.#at));
  }

  /** Any number that is not just digits. */
  #oddNumber(start: number): void {
    let text = this.#take(numberRun) ?? '';
    const sign = this.#text[this.#at];
    const follows = (this.#class(this.#at + 1) & kDigit) !== 0;
    if ((sign === '+' || sign === '-') && follows && exponentSign.test(text)) {
      this.#at += 1;
      text += sign + (this.#take(numberRun) ?? '');
    }
    if (integer.test(text)) this.#push('integer', start, text);
    else if (float.test(text)) this.#push('float', start, text);
    else if (durationForm.test(text)) this.#push('duration', start, text);
    else throw this.#malformed(start, 'number');
  }

  #symbol(mayBeLong: boolean): void {
    const start = this.#at;
    const long = mayBeLong ? this.#text.slice(start, start + 2) : '';
    const found = longSymbols.has(long) ? long : this.#text.charAt(start);
    if (found !== long && !shortSymbols.has(found)) throw this.#unknownCharacter(start);
    this.#at += found.length;
    this.#push('symbol', start, found);
  }

  #unfinished(start: number, what: string, close: string): Error {
    this.#openAt = start;
    return this.#fail(start, `this ${what} is not closed`, `close it with ${close}`);
  }

  #unknownCharacter(start: number): Error {
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0);
    const hints: Readonly<Record<string, string>> = {
      '!': 'write not, or !=',
      '&': 'write and, or &&',
      '|': 'write or, or ||',
      '`': 'names are quoted with "',
      '[': 'lists are written in (…); choose times with where time >= now() - 5m',
      ':': 'convert types with cast(x as integer)',
      $: 'there are no variables; a time range is time >= now() - 1h',
    };
    const shown = JSON.stringify(character);
    const isLetter = /[\p{L}\p{M}\p{N}\p{So}°]/u.test(character);
    const ofName = isLetter ? 'a name with other letters than a to z is quoted with "' : undefined;
    return this.#fail(start, `unexpected character ${shown}`, hints[character] ?? ofName);
  }

  /** The form that a malformed date or number was meant to have; undefined if it is unknown. */
  #meantAt(start: number, text: string): string | undefined {
    const before = this.#text.slice(Math.max(0, start - 80), start);
    if (/[=!]~\s*\/[^'"]*$/.test(before)) return "regular expressions are texts: '…'";
    const duration = durationOfInterval(text);
    return duration === null ? undefined : `write ${duration}`;
  }

  #malformed(start: number, what: keyof typeof writtenForms): Error {
    const text = this.#text.slice(start, this.#at);
    const hint = this.#meantAt(start, text) ?? writtenForms[what];
    return this.#fail(start, `malformed ${what} ${elided(text, 40)}`, hint);
  }

  #fail(offset: number, message: string, hint?: string): Error {
    return this.#source.error('parse_failed', offset, { message, hint });
  }
}
