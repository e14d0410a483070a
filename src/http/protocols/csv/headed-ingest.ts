/** Ingest of a table with a header. The header must be complete before rows can be parsed. */

import { AppError } from '../../../common/errors/app-error.js';
import { compressionOf } from '../../../common/tables/compression.js';
import { Later } from '../../../common/model/later.js';

import type { Ingest, StoredIngestReport } from '../../../operations/ingest.js';

/** No realistic header is longer. In bytes. */
const kHeaderSizeMax = 64 * 1024;

const [kComma, kQuote, kNewline] = [0x2c, 0x22, 0x0a];

const nothing: StoredIngestReport = {
  ...{ ingested: 0, rejected: 0, lines: 0, rejectedBy: [], errors: [], skipped: [] },
};

/** The parser's position in the header; `cell` is the start of a cell. */
type HeaderPlace = 'cell' | 'plain' | 'quoted' | 'quote in quoted';

/** Starts the ingest of rows with the header's text and its number of lines. */
type Begin = (header: string, lineCount: number) => Ingest;

export class HeadedIngest implements Ingest {
  readonly #begin: Begin;
  readonly #header: Uint8Array[] = [];
  #size = 0;
  #lines = 1;
  #place: HeaderPlace = 'cell';
  /** Null before the end of the header. */
  #rows: Ingest | null = null;

  constructor(begin: Begin) {
    this.#begin = begin;
  }

  write(chunk: Uint8Array, ms: number): boolean {
    if (this.#rows !== null) return this.#rows.write(chunk, ms);
    const end = this.#endIn(chunk);
    const piece = end < 0 ? chunk : chunk.subarray(0, end);
    this.#size += piece.length;
    if (this.#size > kHeaderSizeMax) {
      throw new AppError('line_too_long', `the header has more than ${kHeaderSizeMax} bytes`);
    }
    this.#header.push(piece.slice());
    return end >= 0 && this.#start().write(chunk.subarray(end), ms);
  }

  commit(): Later<StoredIngestReport> {
    if (this.#rows === null && this.#size === 0) return Later.of(nothing);
    return (this.#rows ?? this.#start()).commit();
  }

  abort(): void {
    this.#rows?.abort();
  }

  #start(): Ingest {
    const bytes = Buffer.concat(this.#header);
    return (this.#rows = this.#begin(textOf(bytes), this.#lines));
  }

  /** The offset after the header's end; negative if the header does not end in this chunk. */
  #endIn(chunk: Uint8Array): number {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === kNewline && this.#place !== 'quoted') return at + 1;
      if (byte === kNewline) this.#lines += 1;
      this.#place = this.#placeAfter(byte);
    }
    return -1;
  }

  #placeAfter(byte: number | undefined): HeaderPlace {
    if (this.#place === 'quoted') return byte === kQuote ? 'quote in quoted' : 'quoted';
    if (byte === kQuote && this.#place !== 'plain') return 'quoted';
    return byte === kComma ? 'cell' : 'plain';
  }
}

/** Throws `invalid_columns`. */
export function refuseGzip(bytes: Uint8Array): void {
  if (compressionOf(bytes) !== 'gzip') return;
  throw new AppError('invalid_columns', 'the body is gzip; send the header Content-Encoding: gzip');
}

function textOf(bytes: Uint8Array): string {
  refuseGzip(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('invalid_columns', 'the header is not UTF-8', { cause });
  }
}
