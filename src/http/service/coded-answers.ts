/**
 * Compresses answers piece by piece if the client accepts it and the answer is large enough. Errors
 * and short answers stay uncompressed.
 */

import { freeBytes } from '../../common/model/given-bytes.js';

import { acceptedCoding } from '../route/accepted-coding.js';
import { isStreamed, type BodyPieces, type Reply } from '../route/reply.js';
import { codings, Compressor, type Coding } from './compressor.js';

/** A shorter answer fits one packet; compression would not make it faster. */
const kLongMin = 1024;
/**
 * The most bytes of answers that wait for their second pieces. The memory of unread answers counts
 * a piece when it is written, so pieces that are not yet written need a bound of their own.
 */
const kAwaitingMax = 16 * 1024 * 1024;
/** Each compressor keeps up to 0.8 MiB while its client reads. */
const kCompressorsMax = 64;

/** Headers that fix the form: a tag belongs to exactly these bytes. */
const kFormed: readonly string[] = ['content-encoding', 'etag'];

/** True if the body's encoding depends on the request. Some bodies have only one form. */
export function isNegotiable({ status, body, isDense = false, headers = [] }: Reply): boolean {
  if (status >= 400 || isDense) return false;
  if (headers.some(([name]) => kFormed.includes(name))) return false;
  return isStreamed(body) || body.length >= kLongMin;
}

export class CodedAnswers {
  #openCount = 0;
  #awaitingBytes = 0;

  /** A complete answer that is sent unchanged, with its headers; null if more work is needed. */
  plain(reply: Reply, accepted: string | undefined): Reply | null {
    if (isStreamed(reply.body) || this.#codingFor(accepted) !== null) return null;
    return withHeaders(reply, []);
  }

  /**
   * Reads the beginning of a stream. A stream of one piece becomes a complete answer. `accepted` is
   * the client's Accept-Encoding. The returned stream closes the stream of `reply`.
   */
  async open(reply: Reply, accepted: string | undefined): Promise<Reply> {
    const body = isStreamed(reply.body) ? await this.#readAhead(reply.body) : reply.body;
    const answer = { ...reply, body };
    if (!isNegotiable(answer)) return answer;
    const coding = this.#codingFor(accepted);
    if (coding === null) return withHeaders(answer, []);
    const coded = isStreamed(body)
      ? this.#compressed(body, coding)
      : await this.#whole(body, coding);
    return withHeaders({ ...reply, body: coded }, [['content-encoding', coding]]);
  }

  /** A stream of one piece becomes that piece, unless too many wait for their second one. */
  async #readAhead(pieces: BodyPieces): Promise<Uint8Array | string | BodyPieces> {
    const first = await pieces.next();
    if (first === null) return '';
    const { byteLength } = first;
    if (this.#awaitingBytes + byteLength > kAwaitingMax) return streamOf(pieces, [first]);
    this.#awaitingBytes += byteLength;
    try {
      const second = await pieces.next();
      return second === null ? first : streamOf(pieces, [first, second]);
    } finally {
      this.#awaitingBytes -= byteLength;
    }
  }

  #codingFor(accepted: string | undefined): Coding | null {
    if (accepted === undefined || this.#openCount >= kCompressorsMax) return null;
    return acceptedCoding(accepted, codings);
  }

  async #whole(body: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
    const compressor = this.#begin(coding);
    try {
      return await compressor.end(body);
    } finally {
      this.#end(compressor);
      if (typeof body !== 'string') freeBytes(body);
    }
  }

  #compressed(pieces: BodyPieces, coding: Coding): BodyPieces {
    // The answer to HEAD has no body.
    let compressor: Compressor | null = null;
    let isAtEnd = false;
    return {
      next: async () => {
        const piece = isAtEnd ? null : await pieces.next();
        if (isAtEnd || piece?.byteLength === 0) return piece;
        compressor ??= this.#begin(coding);
        isAtEnd = piece === null;
        if (piece === null) return compressor.end();
        const coded = await compressor.write(piece);
        freeBytes(piece);
        return coded;
      },
      close: () => {
        if (compressor !== null) this.#end(compressor);
        pieces.close();
      },
    };
  }

  #begin(coding: Coding): Compressor {
    const compressor = new Compressor(coding);
    this.#openCount += 1;
    return compressor;
  }

  #end(compressor: Compressor): void {
    this.#openCount -= 1;
    compressor.close();
  }
}

/** The stream after these pieces were read from it. */
function streamOf(pieces: BodyPieces, ahead: Uint8Array[]): BodyPieces {
  return {
    next: () => {
      const piece = ahead.shift();
      return piece === undefined ? pieces.next() : Promise.resolve(piece);
    },
    close: () => {
      for (const piece of ahead.splice(0)) freeBytes(piece);
      pieces.close();
    },
  };
}

/** Adds headers to a compressible body. */
function withHeaders(reply: Reply, coding: NonNullable<Reply['headers']>): Reply {
  const { status, contentType, headers = [], body } = reply;
  const all = [...headers, ...coding, ['vary', 'Accept-Encoding']] as const;
  return { status, contentType, headers: all, body };
}
