/** Compressed request bodies, decoded as they arrive and cut at the body limit. */

import { createGunzip } from 'node:zlib';

import { AppError } from '../errors/app-error.js';

import type { BodySink } from './transport.js';

export type BodyEncoding = 'identity' | 'gzip' | 'zstd';

/** Throws `unsupported_encoding`. */
export function bodyEncoding(header: string | undefined): BodyEncoding {
  if (header === undefined) return 'identity';
  const name = header.trim().toLowerCase();
  if (name === '' || name === 'identity') return 'identity';
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === 'zstd') return 'zstd';
  throw new AppError('unsupported_encoding', 'Content-Encoding must be gzip, zstd or identity');
}

export interface DecoderTarget {
  /** Takes decoded bytes, lent for the call. May throw, which ends the body. */
  readonly write: (chunk: Uint8Array) => void;
  readonly finish: () => void;
  readonly fail: (error: unknown) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Counts bytes and refuses the first past `limit`. */
export function limited(write: (chunk: Uint8Array) => void, limit: number) {
  let size = 0;
  return (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    write(chunk);
  };
}

export function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', `the body is larger than ${limit} bytes`);
}

export interface Decoder extends BodySink {
  /** Stops at once; nothing is delivered any more. */
  destroy(): void;
}

export function gzipDecoder(target: DecoderTarget): Decoder {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    gunzip.destroy();
    target.fail(error);
  };
  gunzip.on('data', (chunk: Buffer) => {
    if (isOver) return;
    try {
      target.write(chunk);
    } catch (error) {
      fail(error);
    }
  });
  gunzip.on('end', () => {
    if (!isOver) target.finish();
    isOver = true;
  });
  gunzip.on('error', (cause) => {
    fail(new AppError('invalid_encoding', 'the gzip body is damaged or cut short', { cause }));
  });
  gunzip.on('drain', () => {
    if (!isOver) target.resume();
  });
  return {
    onChunk: (chunk) => {
      // A copy: the chunk is lent, and zlib reads it later on another thread.
      if (!isOver && !gunzip.write(Buffer.from(chunk))) target.pause();
    },
    onEnd: () => {
      if (!isOver) gunzip.end();
    },
    destroy: () => {
      isOver = true;
      gunzip.destroy();
    },
  };
}

/** What decodes a zstd body. `decode` gives null when it needs more, and after the last chunk. */
export interface PieceDecoder {
  decode(chunk: Uint8Array, isLast: boolean): Uint8Array | null;
  close(): void;
}

const nothing = new Uint8Array(0);

/** One piece of the body in a turn of the event loop, however well it was compressed. */
export function zstdDecoder(pieces: PieceDecoder, target: DecoderTarget): Decoder {
  /** What arrived although the client was asked to pause. */
  const early: Uint8Array[] = [];
  let isRunning = false;
  let isEnded = false;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    pieces.close();
  };
  // True while there may be more pieces.
  const step = (chunk: Uint8Array): boolean => {
    if (isOver) return false;
    try {
      const piece = pieces.decode(chunk, isEnded && early.length === 0);
      if (piece !== null) target.write(piece);
      isRunning = piece !== null || early.length > 0;
      if (isRunning) {
        setImmediate(() => {
          step(early.shift() ?? nothing);
        });
      } else if (!isEnded) {
        target.resume();
      } else {
        end();
        target.finish();
      }
    } catch (error) {
      isRunning = false;
      end();
      target.fail(error);
    }
    return isRunning;
  };
  return {
    onChunk: (chunk) => {
      if (isOver) return;
      if (isRunning) {
        early.push(Uint8Array.from(chunk));
        return;
      }
      if (step(chunk)) target.pause();
    },
    onEnd: () => {
      isEnded = true;
      if (!isRunning) step(nothing);
    },
    destroy: end,
  };
}
