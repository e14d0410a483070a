/** One request of a connection and its answer, as bytes of HTTP/1.1. */

import { freeBytes } from '../../../model/given-bytes.js';
import { hasNoBody, type AnswerHead, type BodySink, type Exchange } from '../transport.js';

import { printHead } from './answer-head.js';

import type { Socket } from 'node:net';
import type { ReadHead } from './head-reader.js';

/** The connection, as its exchanges see it. */
export interface Carrier {
  readonly socket: Socket;
  /** Whether the connection ends with this answer; asked once, when its head is made. */
  endsWith(exchange: WireExchange, closes: boolean): boolean;
  /** The last byte of its answer is written. */
  answered(exchange: WireExchange): void;
}

/** Up to this a body is copied behind its head: one buffer is written sooner than two. */
const kJoinedMax = 4_096;

const kCrLf = Buffer.from('\r\n');
const kLastChunk = '0\r\n\r\n';

/** Takes what nobody wants. */
export const discard: BodySink = { onChunk: nothing, onEnd: nothing };

export class WireExchange implements Exchange {
  readonly head;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  sink: BodySink = discard;
  /** Some of the answer is out. */
  isBegun = false;
  /** The connection ends with the answer. */
  closes = false;
  /** The client waits to be told to send its body. */
  isAwaited: boolean;
  readonly #carrier: Carrier;
  readonly #socket: Socket;
  readonly #isHead: boolean;
  readonly #isVersion10: boolean;
  #isAlive = true;
  /** Of an answer that is streamed, until its first piece. */
  #headText = '';

  constructor(carrier: Carrier, { head, isVersion10, expectsContinue }: ReadHead) {
    this.head = head;
    this.isAwaited = expectsContinue;
    this.#isHead = head.method === 'HEAD';
    this.#isVersion10 = isVersion10;
    this.#carrier = carrier;
    this.#socket = carrier.socket;
  }

  peerAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  /** The client is gone. */
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
    // A body has no clock here, and an answer none while it is owed.
  }

  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    const closes = this.#carrier.endsWith(this, options.closes);
    const text = printHead(head, { size: Buffer.byteLength(body), closes });
    const hasBody = !this.#isHead && !hasNoBody(head.status);
    if (typeof body === 'string') {
      this.#socket.write(hasBody ? text + body : text, 'utf8');
    } else {
      this.#writeBytes(text, hasBody ? body : null);
      if (!hasBody) freeBytes(body);
    }
    this.isBegun = true;
    this.#carrier.answered(this);
  }

  #writeBytes(text: string, body: Uint8Array | null): void {
    if (body === null) {
      this.#socket.write(text, 'latin1');
      return;
    }
    if (body.byteLength <= kJoinedMax) {
      const joined = Buffer.allocUnsafe(text.length + body.byteLength);
      joined.write(text, 'latin1');
      joined.set(body, text.length);
      this.#socket.write(joined);
      freeBytes(body);
      return;
    }
    this.#socket.cork();
    this.#socket.write(text, 'latin1');
    this.#socket.write(body, () => {
      freeBytes(body);
    });
    this.#socket.uncork();
  }

  /** Its pieces are there, so the head goes out with the first of them. */
  begin(head: AnswerHead): void {
    if (!this.#isAlive) return;
    this.isBegun = true;
    const closes = this.#carrier.endsWith(this, this.#isVersion10);
    this.#headText = printHead(head, { size: this.#isVersion10 ? 'close' : 'chunked', closes });
  }

  /** The socket keeps a piece until the system has all of it. */
  write(piece: Uint8Array): boolean {
    if (!this.#isAlive) return true;
    const socket = this.#socket;
    const before = this.#headText;
    this.#headText = '';
    const free = (): void => {
      freeBytes(piece);
    };
    socket.cork();
    let isRoom: boolean;
    if (this.#isVersion10) {
      if (before !== '') socket.write(before, 'latin1');
      isRoom = socket.write(piece, free);
    } else {
      socket.write(`${before}${piece.byteLength.toString(16)}\r\n`, 'latin1');
      socket.write(piece, free);
      isRoom = socket.write(kCrLf);
    }
    socket.uncork();
    return isRoom || socket.writableLength === 0;
  }

  finish(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    const end = this.#isVersion10 || this.#isHead ? '' : kLastChunk;
    if (this.#headText + end !== '') this.#socket.write(this.#headText + end, 'latin1');
    this.#carrier.answered(this);
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#socket.destroy();
  }
}

function nothing(): void {
  // Stands where no listener was set.
}
