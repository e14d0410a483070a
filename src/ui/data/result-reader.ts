/**
 * Parses the answer of a statement, `{"columns":[…],"rows":[…],"stats":{…}}`, from pieces cut
 * anywhere. The first rows are available before the last one has arrived.
 */

import { parseQueryResult } from '../../client/exact-json.js';

import type { QueryResult, QueryValue } from '../../client/client.js';

type ResultColumns = QueryResult['columns'];

const kBegin = '{"columns":';
const kBetween = ',"rows":[';

export class ResultReader {
  #rest = '';
  /** The text of the columns, which starts each parsed piece. */
  #head: string | null = null;
  #columns: ResultColumns = [];

  get columns(): ResultColumns {
    return this.#columns;
  }

  /** Returns the rows that `text` completes. */
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

  /** The end of the last complete row. */
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

/** The end of the list that begins at `from`; null if it is incomplete. */
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

/** The position of the closing quote; null if it is missing. */
function endOfText(text: string, from: number): number | null {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === kBackslash) at += 1;
    else if (code === kQuote) return at;
  }
  return null;
}
