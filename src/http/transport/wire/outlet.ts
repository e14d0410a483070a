/**
 * The way of an answer's bytes to the socket. Where nothing waits in the stream of Node.js, the
 * system is given them at once: a stream makes an object for each write, and a turn for its end.
 */

import { freeBytes } from '../../../model/given-bytes.js';

import type { Writable } from 'node:stream';

/** Sends what the system takes of both. Returns how many bytes are left; negative: all. */
export type SendNow = (text: string, body: Uint8Array | null) => number;

const kNoBytes = new Uint8Array(0);

export class Outlet {
  readonly #socket: Writable;
  /** Null: all goes through the stream, as with TLS. */
  readonly #sendNow: SendNow | null;

  constructor(socket: Writable, sendNow: SendNow | null) {
    this.#socket = socket;
    this.#sendNow = sendNow;
  }

  /** `body` is given. False: the reader is slow, wait until the socket drains. */
  write(text: string, body: Uint8Array | null = null): boolean {
    const left = this.#trySend(text, body);
    if (left === 0) {
      if (body !== null) freeBytes(body);
      return true;
    }
    const bytes = body ?? kNoBytes;
    if (left < 0) return this.#writeStream(text, bytes);
    const ofBody = Math.min(left, bytes.byteLength);
    const ofText = left === ofBody ? kNoBytes : Buffer.from(text).subarray(ofBody - left);
    return this.#writeStream(ofText, bytes.subarray(bytes.byteLength - ofBody));
  }

  /** Once a socket is destroyed, its descriptor may be another one's. */
  #trySend(text: string, body: Uint8Array | null): number {
    const { writable, writableLength } = this.#socket;
    if (this.#sendNow === null || !writable || writableLength > 0) return -1;
    return this.#sendNow(text, body);
  }

  /** The stream keeps `body` until the system has all of it. */
  #writeStream(text: string | Uint8Array, body: Uint8Array): boolean {
    const socket = this.#socket;
    const free = (): void => {
      freeBytes(body);
    };
    socket.cork();
    if (text.length > 0) socket.write(text, 'utf8');
    if (body.byteLength > 0) socket.write(body, free);
    else free();
    socket.uncork();
    return !socket.writableNeedDrain || socket.writableLength === 0;
  }
}
