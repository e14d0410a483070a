/**
 * Compresses one answer on zlib's threads. Every write is flushed: the client can decode everything
 * sent so far, so slow answers are not delayed.
 */

import * as zlib from 'node:zlib';

import type { Transform } from 'node:stream';

/** Output buffer size; a piece of an answer is mostly smaller. */
const chunkSize = 64 * 1024;
/** Window size. A larger window gains little on numbers as text, and costs memory. */
const kWindowLog = 17;

/** Parts of `node:zlib` that older versions lack. */
interface ZstdWriting {
  readonly createZstdCompress?: (options: object) => Transform;
  readonly constants: Readonly<Record<string, number>>;
}

const { constants } = zlib;
const { createZstdCompress, constants: zstd } = zlib as ZstdWriting;

/** The fastest level of each encoding. Decision 0064 has the figures. */
const makers = {
  zstd: () =>
    createZstdCompress?.({
      chunkSize,
      flush: zstd['ZSTD_e_flush'],
      params: {
        [zstd['ZSTD_c_compressionLevel'] ?? 0]: 1,
        [zstd['ZSTD_c_windowLog'] ?? 0]: kWindowLog,
      },
    }),
  br: () =>
    zlib.createBrotliCompress({
      chunkSize,
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 1,
        [constants.BROTLI_PARAM_LGWIN]: kWindowLog,
      },
    }),
  gzip: () => zlib.createGzip({ chunkSize, flush: constants.Z_SYNC_FLUSH, level: 1 }),
};

export type Coding = keyof typeof makers;

/** The encodings of this Node.js, fastest first. */
export const codings: readonly Coding[] =
  createZstdCompress === undefined ? ['br', 'gzip'] : ['zstd', 'br', 'gzip'];

export class Compressor {
  readonly #stream: Transform;
  #ready: Buffer[] = [];
  #fail: (error: Error) => void = nothing;

  constructor(coding: Coding) {
    const stream = makers[coding]();
    if (stream === undefined) throw new Error(`this Node.js has no ${coding}`);
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => this.#ready.push(chunk));
    stream.on('error', (error) => {
      this.#fail(error);
    });
  }

  /** Compresses `piece`, which must not change before the result. No concurrent calls. */
  write(piece: Uint8Array | string): Promise<Uint8Array> {
    return this.#taken((done) => {
      this.#stream.write(piece, done);
    });
  }

  /** Compresses a last `piece` and ends. */
  end(piece: Uint8Array | string = ''): Promise<Uint8Array> {
    return this.#taken((done) => {
      this.#stream.once('end', done).end(piece);
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  #taken(start: (done: (error?: Error | null) => void) => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      start((error) => {
        if (error) reject(error);
        else resolve(this.#take());
      });
    });
  }

  #take(): Uint8Array {
    const ready = this.#ready;
    this.#ready = [];
    const [first] = ready;
    return first !== undefined && ready.length === 1 ? first : Buffer.concat(ready);
  }
}

function nothing(): void {
  // The client is gone.
}
