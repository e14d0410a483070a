/**
 * Reads CSV records (RFC 4180) from pieces of a file. Lines may also end in a bare newline. An
 * empty cell is null; a pair of quotes is the empty text. No library of this speed distinguishes
 * them. Each character of a piece is one byte of the file (Latin-1). Non-ASCII cells are decoded
 * one by one, so invalid UTF-8 is a fault of its record alone.
 */

import { TableFault } from './table-fault.js';

import type { RowCells } from './row-cells.js';

/**
 * The longest record, in bytes. Servers take no longer lines, and an unclosed quote must not fill
 * the memory.
 */
const recordSizeMax = 64 * 1024 * 1024;
const beyondAscii = /[\u0080-\u00ff]/;

/** Spreadsheets that do not write UTF-8 write windows-1252. */
export type TableEncoding = 'utf-8' | 'windows-1252';

export interface SourceRow {
  readonly cells: RowCells;
  /** The row's line in the file, from 1. */
  readonly source: number;
  /** Why the row is invalid; null if it is valid. */
  readonly fault: string | null;
}

export class CsvReader {
  readonly #delimiter: string;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  #text = '';
  /** Where in `#text` the next record begins. */
  #at = 0;
  /**
   * The next quote at or after `#at`, as far as it is known. The text's length if there is none.
   */
  #quote = -1;
  #line: number;
  /** Pieces held back until rescanning the beginning of a long record pays. */
  #waiting: string[] = [];
  #waitingSize = 0;
  /** Scratch space for decoding one cell. */
  #bytes = new Uint8Array(256);

  /** `line` is the line of the file at which the text begins. */
  constructor(delimiter: string, encoding: TableEncoding = 'utf-8', line = 1) {
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#delimiter = delimiter;
    this.#line = line;
  }

  /** The line of the file at which the next record begins. */
  get line(): number {
    return this.#line;
  }

  /** The records that these bytes complete. Throws TableFault if one is too long. */
  read(bytes: string): SourceRow[] {
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    if (this.#waitingSize < this.#text.length) return [];
    return this.#takeAll({ isEnd: false });
  }

  /** The remaining records at the end of the file. Throws TableFault for an unclosed quote. */
  finish(): SourceRow[] {
    return this.#takeAll({ isEnd: true });
  }

  #takeAll({ isEnd }: { readonly isEnd: boolean }): SourceRow[] {
    this.#text += this.#waiting.join('');
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#at = 0;
    this.#quote = -1;
    const isAscii = !beyondAscii.test(this.#text);
    const records: SourceRow[] = [];
    for (let next = this.#take(isEnd); next !== null; next = this.#take(isEnd)) {
      if (next.source === 1 && isDelimiterLine(next.cells)) continue;
      records.push(isAscii ? next : this.#decoded(next));
    }
    this.#text = this.#text.slice(this.#at);
    if (this.#text.length > recordSizeMax) {
      throw new TableFault(`line ${String(this.#line)} is too long, or its end is missing`);
    }
    return records;
  }

  /** Returns null if the record is not complete. */
  #take(isEnd: boolean): SourceRow | null {
    const text = this.#text;
    const newline = text.indexOf('\n', this.#at);
    const end = newline < 0 ? text.length : newline;
    if (newline < 0 && (!isEnd || this.#at >= end)) return null;
    if (this.#quote < this.#at) {
      const quote = text.indexOf('"', this.#at);
      this.#quote = quote < 0 ? text.length : quote;
    }
    if (this.#quote < end) return this.#takeQuoted(isEnd);
    const last = text[end - 1] === '\r' && end > this.#at ? end - 1 : end;
    const cells: (string | null)[] = text.slice(this.#at, last).split(this.#delimiter);
    for (let at = 0; at < cells.length; at += 1) if (cells[at] === '') cells[at] = null;
    const record = { cells, source: this.#line, fault: null };
    this.#line += 1;
    this.#at = end + 1;
    return record;
  }

  /** Like #take() for a record with a quote, which may span several lines. */
  #takeQuoted(isEnd: boolean): SourceRow | null {
    const cells: (string | null)[] = [];
    let fault: string | null = null;
    let at = this.#at;
    for (;;) {
      let cell: string | null = null;
      if (this.#text[at] === '"') {
        const quoted = this.#quotedCell(at, isEnd);
        if (quoted === null) return null;
        cell = quoted.cell;
        at = quoted.end;
      }
      const end = this.#endOfCell(at);
      if (end === this.#text.length && !isEnd) return null;
      const isLast = this.#text[end] !== this.#delimiter;
      const rest = this.#text.slice(at, end);
      const plain = isLast && rest.endsWith('\r') ? rest.slice(0, -1) : rest;
      if (cell !== null && plain !== '') fault = 'text follows a closing quote';
      cells.push(cell ?? (plain === '' ? null : plain));
      at = end + 1;
      if (isLast) break;
    }
    const record = { cells, source: this.#line, fault };
    this.#line += this.#text.slice(this.#at, at - 1).split('\n').length;
    this.#at = at;
    return record;
  }

  /** The cell that the quote at `start` opens, and the text behind it. Null if not complete. */
  #quotedCell(start: number, isEnd: boolean): { cell: string; end: number } | null {
    const text = this.#text;
    const parts: string[] = [];
    let from = start + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      // The last quote of a piece may be the first half of an escaped quote.
      if ((quote < 0 || quote === text.length - 1) && !isEnd) return null;
      if (quote < 0) {
        throw new TableFault(`line ${String(this.#line)} opens a quote that is never closed`);
      }
      parts.push(text.slice(from, quote));
      if (text[quote + 1] !== '"') return { cell: parts.join('"'), end: quote + 1 };
      from = quote + 2;
    }
  }

  /** The end of an unquoted cell: the next delimiter or newline, or the end of the text. */
  #endOfCell(start: number): number {
    let at = start;
    while (at < this.#text.length) {
      const one = this.#text[at];
      if (one === this.#delimiter || one === '\n') break;
      at += 1;
    }
    return at;
  }

  #decoded(record: SourceRow): SourceRow {
    try {
      const cells = record.cells.map((cell) =>
        cell === null || !beyondAscii.test(cell) ? cell : this.#textOf(cell),
      );
      return { ...record, cells };
    } catch {
      return { ...record, fault: 'it is not UTF-8' };
    }
  }

  /** Throws if the bytes are invalid in the encoding. */
  #textOf(cell: string): string {
    const size = cell.length;
    if (this.#bytes.length < size) this.#bytes = new Uint8Array(size * 2);
    for (let at = 0; at < size; at += 1) this.#bytes[at] = cell.charCodeAt(at);
    return this.#decoder.decode(this.#bytes.subarray(0, size));
  }
}

/** Excel's first line `sep=;` names the delimiter. */
function isDelimiterLine([first, ...rest]: RowCells): boolean {
  return /^sep=.?$/i.test(first ?? '') && rest.every((cell) => cell === null) && rest.length < 2;
}
