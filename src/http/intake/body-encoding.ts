/** Incoming request bodies: decoded, limited in size, and passed to their target in turns. */

import { createGunzip } from 'node:zlib';

import { AppError } from '../../common/errors/app-error.js';

import type { BodySink } from '../transport/transport.js';
import type { TurnFlow, TurnLane, Turns, TurnWork } from './turns.js';

/** Encodings that the storage decodes. */
type DecodedCoding = 'zstd' | 'snappy';

export type BodyEncoding = 'identity' | 'gzip' | DecodedCoding;

/**
 * `unnamed` is the encoding of a body without a Content-Encoding. Throws `unsupported_encoding`.
 */
export function bodyEncoding(
  header: string | undefined,
  unnamed: BodyEncoding = 'identity',
): BodyEncoding {
  const name = (header ?? '').trim().toLowerCase();
  if (name === '') return unnamed;
  if (name === 'identity') return name;
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  if (name === 'zstd' || name === 'snappy') return name;
  throw new AppError(
    'unsupported_encoding',
    'Content-Encoding must be gzip, zstd, snappy or identity',
  );
}

/** Consumes a body in turns. */
export interface BodyTarget {
  /**
   * Works for about `ms` on queued bytes and then on `chunk`, which is lent for the call. Keeps a
   * copy of the rest. Returns true while bytes are queued. Throws the first error of the body.
   */
  write(chunk: Uint8Array, ms: number): boolean;
}

/** Decodes a body. */
interface PieceDecoder {
  /**
   * Takes bytes, lent for the call. Returns the next decoded piece, lent until the next call of any
   * decoder, or null if it needs more bytes. `keep` only takes. After the `last` bytes null is the
   * end. Throws `invalid_encoding`.
   */
  decode(chunk: Uint8Array, mode: 'keep' | 'more' | 'last'): Uint8Array | null;
  close(): void;
}

export type MakeDecoder = (coding: DecodedCoding) => PieceDecoder;

/** How a route decodes its bodies. */
export interface BodyDecoding {
  readonly makeDecoder: MakeDecoder;
  /** The encoding of a body without a Content-Encoding; identity if absent. */
  readonly unnamed?: BodyEncoding | undefined;
}

/** The owner of a body. Exactly one of `finish` and `fail` is called, or none after stop(). */
export interface BodyOwner {
  readonly turns: Turns;
  /** Allows or forbids the client to send. */
  setFlow(flow: TurnFlow): void;
  /** The body made progress, so the client is not late. */
  noteProgress(): void;
  finish(): void;
  fail(error: unknown): void;
}

interface BodyOptions {
  readonly owner: BodyOwner;
  readonly target: BodyTarget;
  /** Maximum decoded bytes. */
  readonly limit: number;
}

export interface IncomingBody extends BodySink {
  /** Stops at once; nothing more is delivered. Idempotent. */
  stop(): void;
}

export function tooLarge(limit: number): AppError {
  return new AppError('payload_too_large', `the body is larger than ${limit} bytes`);
}

const nothing = new Uint8Array(0);

/** The turns of one body, and its end. */
class Passage implements TurnWork {
  isOver = false;
  readonly #owner: BodyOwner;
  readonly #step: (ms: number) => boolean;
  readonly #close: () => void;
  readonly #lane: TurnLane;
  /** No more input comes; the end waits for queued bytes. */
  #end: (() => void) | null = null;

  /**
   * `step` does the work of a turn and returns whether more is queued. `close` is called at the
   * end.
   */
  constructor(owner: BodyOwner, step: (ms: number) => boolean, close: () => void) {
    this.#owner = owner;
    this.#step = step;
    this.#close = close;
    this.#lane = owner.turns.enter(this);
  }

  get hasWork(): boolean {
    return this.#lane.hasWork;
  }

  setFlow(flow: TurnFlow): void {
    this.#owner.setFlow(flow);
  }

  /** Works on new bytes as far as the turn allows. */
  run(job: (ms: number) => boolean): void {
    try {
      this.#lane.run(job);
      this.#settle(this.#lane.hasWork);
    } catch (error) {
      this.fail(error);
    }
  }

  work(ms: number): boolean {
    try {
      const hasMore = this.#step(ms);
      this.#owner.noteProgress();
      this.#settle(hasMore);
      return hasMore;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** No more input will come. A `fault` ends the body after the queued bytes. */
  end(fault: AppError | null = null): void {
    this.#end ??= () => {
      if (fault === null) this.#owner.finish();
      else this.#owner.fail(fault);
    };
    this.#settle(this.#lane.hasWork);
  }

  fail(error: unknown): void {
    if (this.isOver) return;
    this.stop();
    this.#owner.fail(error);
  }

  stop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#lane.leave();
    this.#close();
  }

  #settle(hasWork: boolean): void {
    if (hasWork || this.isOver || this.#end === null) return;
    this.stop();
    this.#end();
  }
}

/** Throws if there is no memory for a decoder. */
export function bodyMaker(
  encoding: BodyEncoding,
  makeDecoder?: MakeDecoder,
): (options: BodyOptions) => IncomingBody {
  if (encoding === 'identity') return plainBody;
  if (encoding === 'gzip') return gzipBody;
  if (makeDecoder === undefined) {
    throw new AppError('unsupported_encoding', `this route does not accept a body in ${encoding}`);
  }
  const pieces = makeDecoder(encoding);
  return (options) => decodedBody(pieces, options);
}

/** A small body, buffered until complete. It needs no turns, since it only copies. */
export class WholeBody implements IncomingBody {
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #limit: number;
  readonly #finish: (body: Uint8Array) => void;
  readonly #fail: (error: AppError) => void;

  /**
   * Calls one of `finish` and `fail`, unless the body never ends; ignores everything after `fail`.
   */
  constructor(limit: number, finish: (body: Uint8Array) => void, fail: (error: AppError) => void) {
    this.#limit = limit;
    this.#finish = finish;
    this.#fail = fail;
  }

  onChunk(chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.#limit) this.#fail(tooLarge(this.#limit));
    else this.#chunks.push(Buffer.from(chunk));
  }

  onEnd(): void {
    const [first, ...rest] = this.#chunks;
    this.#finish(first !== undefined && rest.length === 0 ? first : Buffer.concat(this.#chunks));
  }

  stop(): void {
    this.#chunks = [];
  }
}

/** A body without encoding. */
function plainBody({ owner, target, limit }: BodyOptions): IncomingBody {
  let size = 0;
  const passage = new Passage(
    owner,
    (ms) => target.write(nothing, ms),
    () => undefined,
  );
  return {
    onChunk: (chunk) => {
      if (size > limit) return;
      size += chunk.byteLength;
      if (size > limit) passage.end(tooLarge(limit));
      else passage.run((ms) => target.write(chunk, ms));
    },
    onEnd: () => {
      passage.end();
    },
    stop: () => {
      passage.stop();
    },
  };
}

/** Refuses the first bytes past the limit. */
function limited({ target, limit }: BodyOptions): BodyTarget {
  let size = 0;
  return {
    write: (chunk, ms) => {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      return target.write(chunk, ms);
    },
  };
}

/** zlib decodes on its own thread, one piece at a time, while nothing is queued. */
function gzipBody(options: BodyOptions): IncomingBody {
  const { owner } = options;
  const target = limited(options);
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  let flow: TurnFlow = 'open';
  let isFull = false;
  let written = 0;
  const passage = new Passage(
    {
      turns: owner.turns,
      noteProgress: () => {
        owner.noteProgress();
      },
      finish: () => {
        owner.finish();
      },
      fail: (error) => {
        owner.fail(error);
      },
      setFlow: (wanted) => {
        flow = wanted;
        owner.setFlow(isFull ? 'held' : flow);
        if (flow === 'open') gunzip.resume();
        else gunzip.pause();
      },
    },
    (ms) => target.write(nothing, ms),
    () => gunzip.destroy(),
  );
  gunzip.on('data', (chunk: Buffer) => {
    passage.run((ms) => target.write(chunk, ms));
  });
  gunzip.on('end', () => {
    // zlib treats a zero byte after a member as padding and silently ignores the rest.
    if (gunzip.bytesWritten === written) passage.end();
    else passage.fail(new AppError('invalid_encoding', 'the gzip body has bytes after its end'));
  });
  gunzip.on('error', (cause) => {
    passage.fail(
      new AppError('invalid_encoding', 'the gzip body is damaged or cut short', { cause }),
    );
  });
  gunzip.on('drain', () => {
    isFull = false;
    if (!passage.isOver) owner.setFlow(flow);
  });
  return {
    onChunk: (chunk) => {
      // A copy: the chunk is lent, and zlib reads it later on another thread.
      if (passage.isOver) return;
      written += chunk.byteLength;
      if (gunzip.write(Buffer.from(chunk))) return;
      isFull = true;
      owner.setFlow('held');
    },
    onEnd: () => {
      if (!passage.isOver) gunzip.end();
    },
    stop: () => {
      passage.stop();
    },
  };
}

/** A body that is decoded on this thread. Decoding costs time, so it takes turns. */
function decodedBody(pieces: PieceDecoder, options: BodyOptions): IncomingBody {
  const { now } = options.owner.turns;
  const target = limited(options);
  let isEnded = false;
  let isTargetBusy = false;
  const step = (chunk: Uint8Array, ms: number): boolean => {
    if (ms === 0) {
      pieces.decode(chunk, 'keep');
      return true;
    }
    const deadline = now() + ms;
    let rest = chunk;
    do {
      if (isTargetBusy) {
        isTargetBusy = target.write(nothing, Math.max(0, deadline - now()));
      } else {
        const piece = pieces.decode(rest, isEnded ? 'last' : 'more');
        rest = nothing;
        if (piece === null) return false;
        isTargetBusy = target.write(piece, Math.max(0, deadline - now()));
      }
    } while (now() < deadline);
    if (rest.byteLength > 0) pieces.decode(rest, 'keep');
    return true;
  };
  const passage = new Passage(
    options.owner,
    (ms) => step(nothing, ms),
    () => {
      pieces.close();
    },
  );
  return {
    onChunk: (chunk) => {
      passage.run((ms) => step(chunk, ms));
    },
    onEnd: () => {
      isEnded = true;
      passage.run((ms) => step(nothing, ms));
      passage.end();
    },
    stop: () => {
      passage.stop();
    },
  };
}
