/**
 * Sends an answer's bytes to the socket. If Node.js' stream is empty, the bytes go to the system
 * directly. A stream would create an object per write and use a turn per end.
 */

import { freeBytes } from '../../../common/model/given-bytes.js';

import type { Writable } from 'node:stream';
import type { UnreadAnswer } from '../unread-answers.js';

/**
 * Sends as much of both as the system takes. Returns the number of bytes left; negative means all.
 */
export type SendNow = (text: string, body: Uint8Array | null) => number;

const kNoBytes = new Uint8Array(0);
/** A longer text waits as bytes outside the JavaScript heap. */
const kTextMax = 1024;

export class Outlet {
  /** What the answer holds besides the written bytes while it is streamed; else 0. */
  aheadBytes = 0;
  readonly #socket: Writable;
  /** Null if everything goes through the stream, as with TLS. */
  readonly #sendNow: SendNow | null;
  readonly #unread: UnreadAnswer;

  constructor(socket: Writable, sendNow: SendNow | null, unread: UnreadAnswer) {
    this.#socket = socket;
    this.#sendNow = sendNow;
    this.#unread = unread;
  }

  /** Takes ownership of `body`. False if the reader is slow: wait until the socket drains. */
  write(text: string, body: Uint8Array | null = null): boolean {
    const left = this.#trySend(text, body);
    if (left === 0) {
      if (body !== null) freeBytes(body);
      return true;
    }
    const bytes = body ?? kNoBytes;
    const held = text.length + bytes.byteLength + this.aheadBytes;
    const release = (): void => {
      freeBytes(bytes);
      this.#unread.release(held);
    };
    this.#unread.hold(held);
    if (left < 0) {
      const waiting = text.length > kTextMax ? Buffer.from(text) : text;
      return this.#writeStream(waiting, bytes, release);
    }
    const ofBody = Math.min(left, bytes.byteLength);
    const ofText = left === ofBody ? kNoBytes : Buffer.from(text).subarray(ofBody - left);
    return this.#writeStream(ofText, bytes.subarray(bytes.byteLength - ofBody), release);
  }

  /** After a socket is destroyed, its descriptor may belong to another one. */
  #trySend(text: string, body: Uint8Array | null): number {
    const { writable, writableLength } = this.#socket;
    if (this.#sendNow === null || !writable || writableLength > 0) return -1;
    return this.#sendNow(text, body);
  }

  /** The stream keeps both until the system has taken all bytes, and then calls `release`. */
  #writeStream(text: string | Uint8Array, body: Uint8Array, release: () => void): boolean {
    const socket = this.#socket;
    socket.cork();
    if (body.byteLength === 0) {
      socket.write(text, 'utf8', release);
    } else {
      if (text.length > 0) socket.write(text, 'utf8');
      socket.write(body, release);
    }
    socket.uncork();
    return !socket.writableNeedDrain || socket.writableLength === 0;
  }
}
