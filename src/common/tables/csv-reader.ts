/**
 * Records of comma-separated values out of pieces of a file, as RFC 4180 has them; lines may end
 * without a carriage return. An empty cell is null and a pair of quotes the empty text, which no
 * library tells apart at this speed. A character of a piece is a byte of the file (Latin-1): what
 * is beyond ASCII is decoded cell by cell, so that bytes that are not UTF-8 are a fault of their
 * record alone.
 */

import { TableFault } from './table-fault.js';

import type { Cells } from './row-lines.js';

/** No server takes longer lines; a quote that is never closed must not fill the memory. */
const recordSizeMax = 64 * 1024 * 1024;
const beyondAscii = /[\u0080-\u00ff]/;

/** What spreadsheets write that do not write UTF-8 is the code page of western Windows. */
export type TableEncoding = 'utf-8' | 'windows-1252';

export interface SourceRow {
  readonly cells: Cells;
  /** Where it stands in its file, from 1. */
  readonly source: number;
  /** Why it is no row; null where it is one. */
  readonly fault: string | null;
}

export class CsvReader {
  readonly #delimiter: string;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  #text = '';
  /** Of `#text`, where the next record begins. */
  #at = 0;
  /** A quote at or after `#at`, if it was looked for; the end of the text when there is none. */
  #quote = -1;
  #line = 1;
  /** Pieces that wait until it pays to look at the beginning of a long record again. */
  #waiting: string[] = [];
  #waitingSize = 0;
  /** Bytes of the cell that is decoded. */
  #bytes = new Uint8Array(256);

  constructor(delimiter: string, encoding: TableEncoding = 'utf-8') {
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#delimiter = delimiter;
  }

  /** The records that these bytes complete. Throws TableFault for one that is too long. */
  read(bytes: string): SourceRow[] {
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    if (this.#waitingSize < this.#text.length) return [];
    return this.#takeAll({ isEnd: false });
  }

  /** What is left at the end. Throws TableFault for a quote that is never closed. */
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

  /** Null when the record is not complete. */
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

  /** The same for a record with a quote in it, which may have more lines than one. */
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

  /** The cell that the quote at `start` opens, and what is behind it. Null: not complete. */
  #quotedCell(start: number, isEnd: boolean): { cell: string; end: number } | null {
    const text = this.#text;
    const parts: string[] = [];
    let from = start + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      // The last quote of a piece may be the first of two.
      if ((quote < 0 || quote === text.length - 1) && !isEnd) return null;
      if (quote < 0) {
        throw new TableFault(`line ${String(this.#line)} opens a quote that is never closed`);
      }
      parts.push(text.slice(from, quote));
      if (text[quote + 1] !== '"') return { cell: parts.join('"'), end: quote + 1 };
      from = quote + 2;
    }
  }

  /** Of what is not in quotes: the delimiter or newline behind it, or the end of the text. */
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

  /** Throws where the bytes are none of the encoding. */
  #textOf(cell: string): string {
    const size = cell.length;
    if (this.#bytes.length < size) this.#bytes = new Uint8Array(size * 2);
    for (let at = 0; at < size; at += 1) this.#bytes[at] = cell.charCodeAt(at);
    return this.#decoder.decode(this.#bytes.subarray(0, size));
  }
}

/** Excel's first line `sep=;`, which names the delimiter. */
function isDelimiterLine([first, ...rest]: Cells): boolean {
  return /^sep=.?$/i.test(first ?? '') && rest.every((cell) => cell === null) && rest.length < 2;
}
