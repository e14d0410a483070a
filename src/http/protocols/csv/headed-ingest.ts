/** Ingest of a table with a header. The header must be complete before rows can be parsed. */

import { AppError } from '../../../common/errors/app-error.js';
import { compressionOf } from '../../../common/tables/compression.js';
import { RecordEnds } from '../../../common/tables/record-ends.js';
import { Later } from '../../../common/model/later.js';

import type { Ingest, StoredIngestReport } from '../../../operations/ingest.js';

/** No realistic header is longer. In bytes. */
const kHeaderSizeMax = 64 * 1024;

const nothing: StoredIngestReport = {
  ...{ ingested: 0, rejected: 0, lines: 0, rejectedBy: [], errors: [], skipped: [] },
};

/** Starts the ingest of rows with the header's text and its number of lines. */
type Begin = (header: string, lineCount: number) => Ingest;

export class HeadedIngest implements Ingest {
  readonly #begin: Begin;
  readonly #header: Uint8Array[] = [];
  #size = 0;
  readonly #ends = new RecordEnds();
  /** Null before the end of the header. */
  #rows: Ingest | null = null;

  constructor(begin: Begin) {
    this.#begin = begin;
  }

  write(chunk: Uint8Array, ms: number): boolean {
    if (this.#rows !== null) return this.#rows.write(chunk, ms);
    const end = this.#ends.first(chunk);
    const piece = end === 0 ? chunk : chunk.subarray(0, end);
    this.#size += piece.length;
    if (this.#size > kHeaderSizeMax) {
      throw new AppError('line_too_long', `the header has more than ${kHeaderSizeMax} bytes`);
    }
    this.#header.push(piece.slice());
    return end > 0 && this.#start().write(chunk.subarray(end), ms);
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
    const header = textOf(bytes);
    return (this.#rows = this.#begin(header, header.replace(/\n$/, '').split('\n').length));
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
