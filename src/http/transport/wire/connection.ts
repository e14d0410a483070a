/**
 * One connection of HTTP/1.1 over a socket: reads a request after the other, and no next one before
 * the answer to the one before is out and its body in. So answers stand in the order of requests,
 * and what cannot be answered was never begun.
 */

import { kIdleMs, printRefusal } from './answer-head.js';
import { UnreadAnswer, type UnreadAnswers } from '../unread-answers.js';
import { ChunkedBody, CountedBody, type BodyFraming } from './body-framing.js';
import { discard, WireExchange, type Carrier } from './exchange.js';
import { HeadReader, kMalformed, type ReadHead } from './head-reader.js';
import { Outlet, type SendNow } from './outlet.js';

import type { Exchange } from '../transport.js';
import type { Socket } from 'node:net';

export interface ConnectionTimes {
  /** The longest time from the connection, or the first byte of a head, to the end of the head. */
  readonly headerTimeoutMs: number;
  /** A client has so long to send the rest of a body whose answer is given. */
  readonly restTimeoutMs: number;
}

interface ConnectionHost {
  readonly times: ConnectionTimes;
  readonly unread: UnreadAnswers;
  readonly accept: (exchange: Exchange) => void;
  readonly ended: (connection: WireConnection) => void;
}

/** A client that was told the end has so long to close its side. */
const kLingerMs = 1_000;
/** Whoever closes its sending side may have left: an answer that begins sooner is still sent. */
const kHalfClosedMs = 50;
/** An answer that is taken more slowly in the long run is given up. */
const kAnswerBytesPerMs = 1;
/** Of the requests that come at once, others wait no longer than for so many. */
const kRequestsPerTurn = 16;

const kCr = 13;
const kLf = 10;

type Phase =
  /** No byte of a next request has come. */
  | 'idle'
  /** Some of a head has come. */
  | 'head'
  /** An answer is owed. */
  | 'busy'
  /** The answer is out before the body was in. */
  | 'rest'
  /** No answer is owed, and those before are not taken. */
  | 'full'
  /** The last byte is written. */
  | 'closing';

export class WireConnection implements Carrier {
  readonly socket: Socket;
  readonly outlet: Outlet;
  readonly #host: ConnectionHost;
  #phase: Phase = 'idle';
  #deadline: number;
  /** Bytes that came and wait for their turn. */
  #waiting: Buffer | null = null;
  #isAdvancing = false;
  #isHalfClosed = false;
  #isFirst = true;
  #exchange: WireExchange | null = null;
  #body: BodyFraming | null = null;
  readonly #heads = new HeadReader();

  /** `sendNow`: to this socket; null: there is none, as with TLS. */
  constructor(socket: Socket, host: ConnectionHost, sendNow: SendNow | null) {
    this.socket = socket;
    const unread = new UnreadAnswer(host.unread, () => {
      socket.destroy();
    });
    this.outlet = new Outlet(socket, sendNow, unread);
    this.#host = host;
    this.#deadline = performance.now() + host.times.headerTimeoutMs;
    socket.on('end', () => {
      this.#endInput();
    });
    socket.on('drain', () => {
      if (this.#phase === 'full') this.#advanceSoon();
      else this.#exchange?.onWritable();
    });
    // The end follows.
    socket.on('error', nothing);
    socket.on('close', () => {
      this.#phase = 'closing';
      this.#waiting = null;
      this.#exchange?.lose();
      this.#exchange = null;
      host.ended(this);
    });
  }

  /** Called now and then. */
  checkTime(now: number): void {
    if (now < this.#deadline) return;
    switch (this.#phase) {
      case 'idle':
        if (this.socket.writableLength > 0) this.socket.destroy();
        else this.#close('');
        return;
      case 'head':
        this.#close(printRefusal('408 Request Timeout'));
        return;
      default:
        this.socket.destroy();
    }
  }

  /** No further requests: closes when nothing is begun. */
  stop(): void {
    if (this.#phase === 'idle') this.#close('');
  }

  // What comes.

  /** `bytes` is lent for the call. */
  receive(bytes: Buffer): void {
    if (this.#phase === 'closing') return;
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#advance(waiting === null ? bytes : Buffer.concat([waiting, bytes]));
  }

  #endInput(): void {
    this.#isHalfClosed = true;
    const exchange = this.#exchange;
    if (exchange !== null && this.#body === null) {
      setTimeout(() => {
        if (!exchange.isBegun) this.socket.destroy();
      }, kHalfClosedMs).unref();
    } else if (this.#phase === 'idle') {
      this.#close('');
    } else if (this.#phase !== 'closing' && this.#phase !== 'full') {
      this.socket.destroy();
    }
  }

  #advance(bytes: Buffer): void {
    this.#isAdvancing = true;
    let at = 0;
    let requestCount = 0;
    while (at < bytes.length && !this.socket.destroyed && this.#phase !== 'closing') {
      if (this.#body !== null) {
        at = this.#takeBody(this.#body, bytes, at);
        if (at < 0) break;
      } else if (this.#exchange !== null || requestCount === kRequestsPerTurn || this.#isFull()) {
        this.#wait(bytes.subarray(at));
        break;
      } else {
        const next = this.#takeHead(bytes, at);
        if (next < 0) break;
        at = next;
        requestCount += 1;
      }
    }
    this.#isAdvancing = false;
  }

  /** For the answer, for room, or for another turn. */
  #wait(rest: Buffer): void {
    this.#waiting = Buffer.from(rest);
    this.socket.pause();
    if (this.#exchange !== null) return;
    if (this.#isFull()) this.#enter('full', this.#flushMs());
    else this.#advanceSoon();
  }

  #isFull(): boolean {
    return this.socket.writableNeedDrain && this.socket.writableLength > 0;
  }

  #advanceSoon(): void {
    setImmediate(() => {
      const waiting = this.#waiting;
      if (waiting === null || this.#phase === 'closing' || this.#exchange !== null) return;
      this.#waiting = null;
      this.#enter('idle', kIdleMs);
      this.#flow();
      this.#advance(waiting);
    });
  }

  #takeBody(body: BodyFraming, bytes: Buffer, from: number): number {
    const exchange = this.#exchange;
    const next = body.take(bytes, from, exchange?.sink ?? discard);
    if (next < 0) {
      exchange?.lose();
      this.#exchange = null;
      this.#close(
        exchange?.isBegun === true || this.#phase === 'rest' ? '' : printRefusal(kMalformed),
      );
    } else if (body.isComplete && this.#body === body) {
      this.#body = null;
      if (exchange === null && this.#phase === 'rest') this.#endRequest();
    }
    return next;
  }

  /** Where the body begins; -1: the head has not come to its end, or is refused. */
  #takeHead(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes[at] === kCr && bytes[at + 1] === kLf) at += 2;
    if (at === bytes.length) return at;
    const read = this.#heads.read(bytes, at);
    if (read === null) {
      if (this.#phase !== 'head') {
        // The first head has the time of its connection.
        if (!this.#isFirst) this.#deadline = performance.now() + this.#host.times.headerTimeoutMs;
        this.#phase = 'head';
      }
      this.#waiting = Buffer.from(bytes.subarray(at));
      return -1;
    }
    if (typeof read === 'string') {
      this.#close(printRefusal(read));
      return -1;
    }
    this.#begin(read);
    return at + read.size;
  }

  #begin(read: ReadHead): void {
    this.#isFirst = false;
    this.#phase = 'busy';
    this.#deadline = Infinity;
    const framing = framingOf(read);
    this.#body = framing === 'unsound' ? null : framing;
    const exchange = new WireExchange(this, read);
    exchange.closes = read.isLast || framing === 'unsound';
    this.#exchange = exchange;
    try {
      this.#host.accept(exchange);
    } catch {
      exchange.cut();
    }
    // Who was answered already does not send its body.
    if (read.expectsContinue && this.#body !== null && this.#exchange === exchange) {
      exchange.isAwaited = false;
      this.outlet.write('HTTP/1.1 100 Continue\r\n\r\n');
    }
  }

  // What is answered.

  /** Whether the connection ends with this answer; asked once, when its head is made. */
  endsWith(exchange: WireExchange, closes: boolean): boolean {
    const isUnasked = exchange.isAwaited && this.#body !== null;
    exchange.closes ||= closes || this.#isHalfClosed || isUnasked;
    return exchange.closes;
  }

  /** The last byte of its answer is written. */
  answered(exchange: WireExchange): void {
    if (this.#exchange !== exchange) return;
    this.#exchange = null;
    if (exchange.closes) {
      this.#close('');
    } else if (this.#body === null || this.#body.isComplete) {
      this.#endRequest();
    } else {
      this.#enter('rest', this.#host.times.restTimeoutMs + this.#flushMs());
      this.socket.resume();
    }
  }

  #endRequest(): void {
    this.#body = null;
    if (this.#isHalfClosed) {
      this.#close('');
      return;
    }
    this.#enter('idle', kIdleMs + this.#flushMs());
    if (this.#waiting === null) this.#flow();
    else if (!this.#isAdvancing) this.#advanceSoon();
  }

  /** The next request may come. */
  #flow(): void {
    if (this.socket.isPaused()) this.socket.resume();
  }

  #enter(phase: Phase, ms: number): void {
    this.#phase = phase;
    this.#deadline = performance.now() + ms;
  }

  /** How long a client may take for what is written. */
  #flushMs(): number {
    const { writableLength } = this.socket;
    if (writableLength === 0) return 0;
    return this.#host.times.restTimeoutMs + writableLength / kAnswerBytesPerMs;
  }

  /**
   * Ends the connection after `last`. What still comes is thrown away for a while: bytes that
   * nobody reads would make the system take back what the client has not read yet.
   */
  #close(last: string): void {
    const { socket } = this;
    this.#waiting = null;
    if (last !== '') this.outlet.write(last);
    this.#enter('closing', kLingerMs + this.#flushMs());
    socket.end(() => {
      this.#deadline = performance.now() + kLingerMs;
    });
    socket.resume();
  }
}

/** Null: there is no body. Two framings that exclude each other, or a length that is none. */
function framingOf({ head }: ReadHead): BodyFraming | null | 'unsound' {
  const { contentLength, transferEncoding, hasDuplicate } = head;
  if (hasDuplicate) return 'unsound';
  if (transferEncoding !== undefined) {
    const isChunked = contentLength === undefined && transferEncoding.toLowerCase() === 'chunked';
    return isChunked ? new ChunkedBody() : 'unsound';
  }
  if (contentLength === undefined) return null;
  if (!/^\d{1,15}$/.test(contentLength)) return 'unsound';
  const size = Number(contentLength);
  return size === 0 ? null : new CountedBody(size);
}

function nothing(): void {
  // Stands where no listener was set.
}
