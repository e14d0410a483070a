/**
 * Finds the end of a body, by its length or by chunks (RFC 9112). Chunk extensions and trailers are
 * read and discarded within limits. Anything else is a fault.
 */

import { kHeadSizeMax, isTrailer } from './head-reader.js';

import type { BodySink } from '../transport.js';

export interface BodyFraming {
  readonly isComplete: boolean;
  /**
   * Takes bytes from offset `from`. Returns the offset after the body's bytes, or -1 for a fault.
   * The sink gets `onEnd` last.
   */
  take(bytes: Buffer, from: number, sink: BodySink): number;
}

export class CountedBody implements BodyFraming {
  #rest: number;

  constructor(size: number) {
    this.#rest = size;
  }

  get isComplete(): boolean {
    return this.#rest === 0;
  }

  take(bytes: Buffer, from: number, sink: BodySink): number {
    const end = Math.min(bytes.length, from + this.#rest);
    this.#rest -= end - from;
    if (end > from)
      sink.onChunk(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
    if (this.#rest === 0) sink.onEnd();
    return end;
  }
}

/** The next part of a chunked body. */
type FramingPart =
  'size' | 'extension' | 'size LF' | 'data' | 'data CR' | 'data LF' | 'trailer' | 'nothing';

/** The longest accepted chunk has the size FFFFFFFF. */
const kSizeDigitsMax = 8;
/** The limit over all extensions of one body, in bytes. */
const kExtensionsMax = 16_384;

const kCr = 13;
const kLf = 10;
const kSemicolon = 59;

export class ChunkedBody implements BodyFraming {
  #part: FramingPart = 'size';
  #size = 0;
  #digitCount = 0;
  #extensionsSize = 0;
  #trailer = '';

  get isComplete(): boolean {
    return this.#part === 'nothing';
  }

  take(bytes: Buffer, from: number, sink: BodySink): number {
    let at = from;
    while (at < bytes.length && this.#part !== 'nothing') {
      if (this.#part === 'data') {
        const end = Math.min(bytes.length, at + this.#size);
        sink.onChunk(bytes.subarray(at, end));
        this.#size -= end - at;
        if (this.#size === 0) this.#part = 'data CR';
        at = end;
      } else if (this.#part === 'trailer') {
        at = this.#takeTrailer(bytes, at);
        if (at < 0) return -1;
      } else {
        if (!this.#takeMark(bytes[at] ?? 0)) return -1;
        at += 1;
      }
    }
    if (this.#part === 'nothing') sink.onEnd();
    return at;
  }

  /** Takes one byte of the framing around the data. */
  #takeMark(byte: number): boolean {
    switch (this.#part) {
      case 'size':
        return this.#takeSize(byte);
      case 'extension':
        if (byte === kCr) {
          this.#part = 'size LF';
          return true;
        }
        this.#extensionsSize += 1;
        return this.#extensionsSize <= kExtensionsMax && isFieldByte(byte);
      case 'size LF':
        this.#part = this.#size === 0 ? 'trailer' : 'data';
        this.#digitCount = 0;
        return byte === kLf;
      case 'data CR':
        this.#part = 'data LF';
        return byte === kCr;
      default:
        this.#part = 'size';
        return byte === kLf;
    }
  }

  #takeSize(byte: number): boolean {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#size * 16 + digit;
      this.#digitCount += 1;
      return this.#digitCount <= kSizeDigitsMax;
    }
    if (this.#digitCount === 0) return false;
    this.#part = byte === kCr ? 'size LF' : 'extension';
    return byte === kCr || byte === kSemicolon;
  }

  /** Takes the trailer line by line. An empty line ends the body. */
  #takeTrailer(bytes: Buffer, from: number): number {
    const before = this.#trailer.length;
    const until = Math.min(bytes.length, from + kHeadSizeMax + 1 - before);
    const text = this.#trailer + bytes.toString('latin1', from, until);
    const end = text.startsWith('\r\n') ? 0 : text.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) {
      this.#trailer = text;
      return text.length > kHeadSizeMax ? -1 : until;
    }
    const lines = end === 0 ? '' : text.slice(0, end + 2);
    if (!isTrailer(lines)) return -1;
    this.#part = 'nothing';
    this.#trailer = '';
    return from + lines.length + 2 - before;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Returns true for bytes that header values may contain. */
function isFieldByte(byte: number): boolean {
  return byte === 9 || (byte >= 32 && byte !== 127);
}
