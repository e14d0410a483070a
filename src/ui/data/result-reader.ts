/**
 * Reads the answer of a statement, `{"columns":[…],"rows":[…],"stats":{…}}`, as its text arrives,
 * in pieces cut anywhere, so that the first rows are had before the last one is there.
 */

import { parseQueryResult } from '../../client/exact-json.js';

import type { QueryResult, QueryValue } from '../../client/client.js';

type Columns = QueryResult['columns'];

const kBegin = '{"columns":';
const kBetween = ',"rows":[';

export class ResultReader {
  #rest = '';
  /** As they came, for what is read of the rows. */
  #head: string | null = null;
  #columns: Columns = [];

  get columns(): Columns {
    return this.#columns;
  }

  /** The rows that `text` completes. */
  read(text: string): readonly (readonly QueryValue[])[] {
    this.#rest += text;
    if (this.#head === null && !this.#readHead()) return [];
    const end = this.#endOfRows();
    const rows = this.#rest.slice(0, end).replace(/^,/, '');
    if (rows === '') return [];
    this.#rest = this.#rest.slice(end);
    return this.#parse(`${rows}],"stats":null}`).rows;
  }

  /** Call it at the end of the text. */
  finish(): QueryResult['stats'] {
    return this.#parse(this.#rest.trimStart()).stats;
  }

  #readHead(): boolean {
    const end = endOfList(this.#rest, kBegin.length);
    if (end === null || this.#rest.length < end + kBetween.length) return false;
    this.#head = this.#rest.slice(0, end + kBetween.length);
    this.#rest = this.#rest.slice(this.#head.length);
    this.#columns = this.#parse('],"stats":null}').columns;
    return true;
  }

  #parse(text: string): QueryResult {
    return parseQueryResult(`${this.#head ?? ''}${text}`);
  }

  /** Behind the last row that is whole. */
  #endOfRows(): number {
    let end = 0;
    for (;;) {
      const begin = /^,?\s*(?=\[)/.exec(this.#rest.slice(end, end + 8));
      const found = begin === null ? null : endOfList(this.#rest, end + begin[0].length);
      if (found === null) return end;
      end = found;
    }
  }
}

const kQuote = 0x22;
const kBackslash = 0x5c;
const kOpen = 0x5b;
const kClose = 0x5d;

/** Behind the list that begins at `from`; null where it does not end. */
function endOfList(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === kQuote) {
      const end = endOfText(text, at + 1);
      if (end === null) return null;
      at = end;
    } else if (code === kOpen) depth += 1;
    else if (code === kClose) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

/** The quote that ends a text. */
function endOfText(text: string, from: number): number | null {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === kBackslash) at += 1;
    else if (code === kQuote) return at;
  }
  return null;
}
