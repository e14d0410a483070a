/**
 * Parses one line of Prometheus' text format or of OpenMetrics: a sample, or a comment about a
 * family. Accepts quoted names, and skips exemplars.
 */

import { RowFault, shortened } from '../../common/tables/table-fault.js';
import { unread } from './translated-input.js';

export interface ExpositionSample {
  readonly kind: 'sample';
  readonly metric: string;
  /** The labels with non-empty values. */
  readonly labels: readonly (readonly [string, string])[];
  readonly value: string;
  /** As written; null if the line has none. */
  readonly time: string | null;
}

interface ExpositionComment {
  readonly kind: 'help' | 'type' | 'unit';
  readonly family: string;
  readonly text: string;
}

const commentForm = /^#[ \t]+(HELP|TYPE|UNIT)[ \t]+("(?:[^"\\]|\\.)*"|\S+)(?:[ \t]+(.*))?$/;
const commentKinds = { HELP: 'help', TYPE: 'type', UNIT: 'unit' } as const;
const plainName = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const quotedText = /"((?:[^"\\]|\\.)*)"/y;
const blanks = /[ \t]*/y;
const word = /[^ \t]+/y;

/** Null for a blank line and any other comment. Throws RowFault. */
export function parseExpositionLine(line: string): ExpositionSample | ExpositionComment | null {
  const text = line.trim();
  if (text === '') return null;
  return text.startsWith('#') ? commentOf(text) : new ExpositionReader(text).read();
}

function commentOf(text: string): ExpositionComment | null {
  const [, word = '', family = '', rest = ''] = commentForm.exec(text) ?? [];
  if (word !== 'HELP' && word !== 'TYPE' && word !== 'UNIT') return null;
  const name = family.startsWith('"') ? unescaped(family.slice(1, -1)) : family;
  return { kind: commentKinds[word], family: name, text: unescaped(rest) };
}

/** Any other backslash is a literal character. */
function unescaped(text: string): string {
  return text.replace(/\\([\\n"])/g, (_, one: string) => (one === 'n' ? '\n' : one));
}

class ExpositionReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ExpositionSample {
    let metric = this.#take(plainName)?.[0] ?? null;
    const labels: (readonly [string, string])[] = [];
    this.#take(blanks);
    if (this.#skip('{')) metric = this.#labels(metric, labels);
    if (metric === null) throw unread(this.#text, 0, 'the name of a metric');
    this.#take(blanks);
    const value = this.#take(word)?.[0];
    if (value === undefined) throw unread(this.#text, this.#at, 'a value');
    this.#take(blanks);
    const time = this.#text[this.#at] === '#' ? null : (this.#take(word)?.[0] ?? null);
    this.#take(blanks);
    if (this.#at < this.#text.length && this.#text[this.#at] !== '#') {
      throw unread(this.#text, this.#at, 'the end of the line');
    }
    return { kind: 'sample', metric, labels, value, time };
  }

  /** Reads up to the closing brace. Returns the metric, which may be quoted among the labels. */
  #labels(before: string | null, labels: (readonly [string, string])[]): string | null {
    let metric = before;
    for (;;) {
      this.#take(blanks);
      if (this.#skip('}')) return metric;
      const start = this.#at;
      const quoted = this.#take(quotedText)?.[1];
      const key = quoted === undefined ? this.#take(plainName)?.[0] : unescaped(quoted);
      if (key === undefined) throw unread(this.#text, start, 'a label or "}"');
      this.#take(blanks);
      if (this.#skip('=')) this.#addLabel(key, labels);
      else if (quoted !== undefined && metric === null) metric = key;
      else throw unread(this.#text, this.#at, '"="');
      this.#take(blanks);
      if (!this.#skip(',') && this.#text[this.#at] !== '}') {
        throw unread(this.#text, this.#at, '"," or "}"');
      }
    }
  }

  #addLabel(key: string, labels: (readonly [string, string])[]): void {
    this.#take(blanks);
    const text = this.#take(quotedText)?.[1];
    if (text === undefined) throw unread(this.#text, this.#at, 'a text in quotes');
    if (key === '__name__') throw new RowFault('"__name__" cannot be a label');
    if (labels.some(([other]) => other === key)) {
      throw new RowFault(`the label "${shortened(key)}" occurs twice`);
    }
    // An empty label is equal to a missing one.
    if (text !== '') labels.push([key, unescaped(text)]);
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const match = form.exec(this.#text);
    if (match !== null) this.#at = form.lastIndex;
    return match;
  }

  #skip(one: string): boolean {
    if (this.#text[this.#at] !== one) return false;
    this.#at += 1;
    return true;
  }
}
