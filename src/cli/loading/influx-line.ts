/**
 * Parses one line of InfluxDB's line protocol, `measurement,tag=a field=1,other=2i
 * 1700000000000000000`. A backslash that escapes nothing is a literal character. A quoted text may
 * contain newlines.
 */

import { numberOf } from '../../common/tables/row-lines.js';
import { RowFault, shortened } from '../../common/tables/table-fault.js';
import { unread } from './translated-input.js';

export interface InfluxPoint {
  readonly measurement: string;
  /** The tags with non-empty values, sorted by key. */
  readonly tags: readonly (readonly [string, string])[];
  /** As a JSON number; null if the field is not a number. */
  readonly fields: readonly (readonly [string, string | null])[];
  /** Null if the line has none. */
  readonly time: bigint | null;
}

/** Null for a blank line or a comment; `open` if the line ends inside quotes. Throws RowFault. */
export function parseInfluxLine(line: string): InfluxPoint | 'open' | null {
  if (/^\s*(?:#|$)/.test(line)) return null;
  return new LineReader(line).read();
}

/** The offset of the first unescaped quote from here on; -1 without one. */
function quoteIn(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const one = text[at];
    if (one === '\\') at += 1;
    else if (one === '"') return at;
  }
  return -1;
}

/** Whether a line inside quotes contains the closing quote. A newline may be escaped too. */
export function closesQuote(line: string): boolean {
  return quoteIn(line, 0) >= 0;
}

const truths: ReadonlySet<string> = new Set(['t', 'T', 'true', 'True', 'TRUE']);
const lies: ReadonlySet<string> = new Set(['f', 'F', 'false', 'False', 'FALSE']);
/** Number forms of other databases with this protocol: times, or too long. */
const foreignNumber = /^(?:-?\d+[tn]|0x[0-9a-fA-F]+i)$/;

/** Most names have no backslash: the fast path. */
const unescapedBefore = { ', ': /[^, \\]*/y, ',= ': /[^,= \\]*/y } as const;
type NameEnds = keyof typeof unescapedBefore;
const plainValue = /[^, ]*/y;

interface FieldValue {
  readonly number: string | null;
}

class LineReader {
  readonly #line: string;
  #at: number;

  constructor(line: string) {
    this.#line = line;
    this.#at = line.length - line.trimStart().length;
  }

  read(): InfluxPoint | 'open' {
    const measurement = this.#name(', ');
    if (measurement === '') throw unread(this.#line, this.#at, 'a measurement');
    const tags = this.#tags();
    this.#blanks('the fields');
    const fields: (readonly [string, string | null])[] = [];
    for (;;) {
      const key = this.#key('a field');
      const value = this.#value(key);
      if (value === 'open') return value;
      fields.push([key, value.number]);
      if (this.#line[this.#at] !== ',') break;
      this.#at += 1;
    }
    const time = this.#line.slice(this.#at).trim();
    if (time === '') return { measurement, tags, fields, time: null };
    if (this.#line[this.#at] !== ' ' || !/^-?\d{1,20}$/.test(time)) {
      throw unread(this.#line, this.#at, 'an integer time');
    }
    return { measurement, tags, fields, time: BigInt(time) };
  }

  #tags(): InfluxPoint['tags'] {
    const tags: (readonly [string, string])[] = [];
    const keys = new Set<string>();
    while (this.#line[this.#at] === ',') {
      this.#at += 1;
      const key = this.#key('a tag');
      if (key === '__name__') throw new RowFault('"__name__" cannot be a tag key');
      if (keys.has(key)) throw new RowFault(`the tag "${shortened(key)}" occurs twice`);
      keys.add(key);
      const value = this.#name(',= ');
      if (this.#line[this.#at] === '=') throw unread(this.#line, this.#at, 'a comma or a space');
      if (value !== '') tags.push([key, value]);
    }
    return tags.sort(([left], [right]) => (left < right ? -1 : 1));
  }

  #key(what: string): string {
    const start = this.#at;
    const key = this.#name(',= ');
    if (key === '' || this.#line[this.#at] !== '=') throw unread(this.#line, start, what);
    this.#at += 1;
    return key;
  }

  /** The text before the first unescaped end character. */
  #name(ends: NameEnds): string {
    let name = this.#run(unescapedBefore[ends]);
    for (;;) {
      const one = this.#line[this.#at];
      if (one === undefined || ends.includes(one)) return name;
      const next = this.#line[this.#at + 1];
      const isEscape = one === '\\' && next !== undefined && ends.includes(next);
      name += isEscape ? next : one;
      this.#at += isEscape ? 2 : 1;
    }
  }

  /** The longest match of the pattern from here on, at least empty. */
  #run(form: RegExp): string {
    const start = this.#at;
    form.lastIndex = start;
    form.test(this.#line);
    this.#at = form.lastIndex;
    return this.#line.slice(start, this.#at);
  }

  #blanks(what: string): void {
    if (this.#line[this.#at] !== ' ') throw unread(this.#line, this.#at, what);
    while (this.#line[this.#at] === ' ') this.#at += 1;
  }

  #value(key: string): FieldValue | 'open' {
    if (this.#line[this.#at] === '"') return this.#quoted();
    const text = this.#run(plainValue);
    if (truths.has(text)) return { number: '1' };
    if (lies.has(text)) return { number: '0' };
    if (/^[+-]?\d+[iu]$/.test(text)) return { number: numberOf(text.slice(0, -1)) };
    if (foreignNumber.test(text)) return { number: null };
    if (text === '') throw new RowFault(`the field "${shortened(key)}" has no value`);
    return { number: numberOf(text) };
  }

  /** Skips a text. */
  #quoted(): FieldValue | 'open' {
    const end = quoteIn(this.#line, this.#at + 1);
    if (end < 0) return 'open';
    this.#at = end + 1;
    return { number: null };
  }
}
