/** One request of a connection, and its answer as HTTP/1.1. */

import { freeBytes } from '../../../common/model/given-bytes.js';
import { hasNoBody, type AnswerHead, type BodySink, type Exchange } from '../transport.js';
import { aheadBytesOf } from '../unread-answers.js';

import { printHead } from './answer-head.js';

import type { Socket } from 'node:net';
import type { ReadHead } from './head-reader.js';
import type { Outlet } from './outlet.js';

/** The connection, seen from its exchanges. */
export interface Carrier {
  readonly socket: Socket;
  readonly outlet: Outlet;
  /** Returns true if this answer ends the connection. Called once, for the answer's head. */
  endsWith(exchange: WireExchange, closes: boolean): boolean;
  /** The last byte of its answer is written. */
  answered(exchange: WireExchange): void;
}

const kCrLf = '\r\n';
const kLastChunk = '0\r\n\r\n';

/** Discards unwanted bytes. */
export const discard: BodySink = { onChunk: nothing, onEnd: nothing };

export class WireExchange implements Exchange {
  readonly head;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  sink: BodySink = discard;
  /** Part of the answer is sent. */
  isBegun = false;
  /** The connection ends with the answer. */
  closes = false;
  /** The client waits for 100 Continue. */
  isAwaited: boolean;
  readonly #carrier: Carrier;
  readonly #socket: Socket;
  readonly #outlet: Outlet;
  readonly #isHead: boolean;
  readonly #isVersion10: boolean;
  #isAlive = true;
  #isPromised = false;
  /**
   * Bytes to send before the next piece of a streamed answer: its head, or the end of the last
   * piece.
   */
  #before = '';

  constructor(carrier: Carrier, { head, isVersion10, expectsContinue }: ReadHead) {
    this.head = head;
    this.isAwaited = expectsContinue;
    this.#isHead = head.method === 'HEAD';
    this.#isVersion10 = isVersion10;
    this.#carrier = carrier;
    this.#socket = carrier.socket;
    this.#outlet = carrier.outlet;
  }

  peerAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** The client disconnected. */
  lose(): void {
    this.sink = discard;
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.onGone();
  }

  receive(sink: BodySink): void {
    this.sink = {
      onChunk: (chunk) => {
        this.isAwaited = false;
        if (this.#isAlive) {
          this.#guard(() => {
            sink.onChunk(chunk);
          });
        }
      },
      onEnd: () => {
        if (this.#isAlive) {
          this.#guard(() => {
            sink.onEnd();
          });
        }
      },
    };
  }

  promiseAnswer(): void {
    this.#isPromised = true;
  }

  get isPromised(): boolean {
    return this.#isPromised;
  }

  #guard(deliver: () => void): void {
    try {
      deliver();
    } catch {
      this.cut();
    }
  }

  pause(): void {
    if (this.#isAlive) this.#socket.pause();
  }

  resume(): void {
    if (this.#isAlive) this.#socket.resume();
  }

  holdOpen(): void {
    // The wire has no timeout for bodies, nor for owed answers.
  }

  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    const closes = this.#carrier.endsWith(this, options.closes);
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    const text = printHead(head, { size, closes });
    const hasBody = !this.#isHead && !hasNoBody(head.status);
    if (typeof body === 'string') {
      this.#outlet.write(hasBody ? text + body : text);
    } else if (hasBody) {
      this.#outlet.write(text, body);
    } else {
      this.#outlet.write(text);
      freeBytes(body);
    }
    this.isBegun = true;
    this.#carrier.answered(this);
  }

  /** The first piece is ready, so the head waits for it. */
  begin(head: AnswerHead): void {
    if (!this.#isAlive) return;
    this.isBegun = true;
    this.#outlet.aheadBytes = aheadBytesOf(head.headers);
    const closes = this.#carrier.endsWith(this, this.#isVersion10);
    this.#before = printHead(head, { size: this.#isVersion10 ? 'close' : 'chunked', closes });
  }

  write(piece: Uint8Array): boolean {
    if (!this.#isAlive) return true;
    const before = this.#before;
    this.#before = this.#isVersion10 ? '' : kCrLf;
    const size = this.#isVersion10 ? '' : piece.byteLength.toString(16) + kCrLf;
    return this.#outlet.write(before + size, piece);
  }

  finish(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#outlet.aheadBytes = 0;
    const end = this.#isVersion10 || this.#isHead ? '' : kLastChunk;
    if (this.#before + end !== '') this.#outlet.write(this.#before + end);
    this.#carrier.answered(this);
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#socket.destroy();
  }
}

function nothing(): void {
  // Default for a listener that is not set.
}
