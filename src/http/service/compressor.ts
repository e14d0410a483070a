/**
 * One answer through zlib, which works on threads of its own. Who has what came back can read all
 * that was written: an answer that comes slowly is not held up.
 */

import * as zlib from 'node:zlib';

import type { Transform } from 'node:stream';

/** Of what comes back; a piece of an answer is mostly less. */
const chunkSize = 64 * 1024;
/** What is looked back to. More gains little with text of numbers, and costs memory. */
const kWindowLog = 17;

/** What of `node:zlib` younger versions have. */
interface ZstdModule {
  readonly createZstdCompress?: (options: object) => Transform;
  readonly constants: Readonly<Record<string, number>>;
}

const { constants } = zlib;
const { createZstdCompress, constants: zstd } = zlib as ZstdModule;

/** The quickest level of each: decision 0064 has the figures. */
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

/** What this Node.js has, the quickest first. */
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

  /** What `piece` becomes, which must not change before. Call nothing else meanwhile. */
  write(piece: Uint8Array | string): Promise<Uint8Array> {
    return this.#taken((done) => {
      this.#stream.write(piece, done);
    });
  }

  /** What is left, with a last `piece`. */
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
  // Nobody waits.
}
