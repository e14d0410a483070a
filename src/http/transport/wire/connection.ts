/**
 * One HTTP/1.1 connection over a socket. It reads the next request only after the previous answer
 * is sent and its body is read. So answers keep the order of requests, and no request begins that
 * cannot be answered.
 */

import { kIdleMs, printRefusal } from './answer-head.js';
import { UnreadAnswer, type UnreadAnswers } from '../unread-answers.js';
import { ChunkedBody, CountedBody, type BodyFraming } from './body-framing.js';
import { discard, WireExchange, type Carrier } from './exchange.js';
import { HeadReader, kMalformed, type ReadHead } from './head-reader.js';
import { kAnswerBytesPerMs, Linger, type Lingering } from './linger.js';
import { Outlet, type SendNow } from './outlet.js';

import type { Exchange } from '../transport.js';
import type { Socket } from 'node:net';

export interface ConnectionTimes {
  /**
   * The longest time from the connection, or from the first byte of a head, to the end of the head.
   */
  readonly headerTimeoutMs: number;
  /** The time for a client to send the rest of a body after the answer. */
  readonly restTimeoutMs: number;
}

interface ConnectionHost {
  readonly times: ConnectionTimes;
  readonly unread: UnreadAnswers;
  readonly lingering: Lingering;
  /** The sent bytes that the client's system has not confirmed; 0 if unknown. */
  readonly unconfirmedBytes: () => number;
  readonly accept: (exchange: Exchange) => void;
  readonly ended: (connection: WireConnection) => void;
}

/** The time for a client to close its side after the server closed and the answer arrived. */
const kLingerMs = 1_000;
/**
 * A client that closes its sending side may have disconnected. An answer that begins within this
 * time is still sent.
 */
export const kHalfClosedMs = 50;
/** The most pipelined requests of one connection per turn. */
const kRequestsPerTurn = 16;

const kCr = 13;
const kLf = 10;

type Phase =
  /** No byte of a next request has arrived. */
  | 'idle'
  /** Part of a head has arrived. */
  | 'head'
  /** An answer is owed. */
  | 'busy'
  /** The answer was sent before the body was complete. */
  | 'rest'
  /** No answer is owed, and previous answers are unread. */
  | 'full'
  /** The last byte is written. */
  | 'closing';

export class WireConnection implements Carrier {
  readonly socket: Socket;
  readonly outlet: Outlet;
  readonly #host: ConnectionHost;
  #phase: Phase = 'idle';
  #deadline: number;
  /** Received bytes that wait for their turn. */
  #waiting: Buffer | null = null;
  #isAdvancing = false;
  #isHalfClosed = false;
  #isFirst = true;
  /** Set when the last byte is written. */
  #linger: Linger | null = null;
  #exchange: WireExchange | null = null;
  #body: BodyFraming | null = null;
  readonly #heads = new HeadReader();

  /** `sendNow` writes directly to this socket; null with TLS. */
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
    // The close event follows.
    socket.on('error', nothing);
    socket.on('close', () => {
      this.#phase = 'closing';
      this.#waiting = null;
      this.#exchange?.lose();
      this.#exchange = null;
      host.lingering.delete(socket);
      host.ended(this);
    });
  }

  /** Called periodically. */
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
      case 'closing':
        this.#lingerOn(now);
        return;
      default:
        this.socket.destroy();
    }
  }

  #lingerOn(now: number): void {
    const { socket } = this;
    // Its place may have gone to another one in this turn.
    if (socket.destroyed) return;
    const isWritten = socket.writableLength === 0;
    if (!isWritten || this.#linger?.goesOn(this.#host.unconfirmedBytes(), now) !== true) {
      socket.destroy();
      return;
    }
    this.#deadline = now + kLingerMs;
    this.#host.lingering.add(socket);
  }

  /** Accepts no further requests: closes if none is in progress. */
  stop(): void {
    if (this.#phase === 'idle') this.#close('');
  }

  // Input.

  /** `bytes` is lent for the call. */
  receive(bytes: Buffer): void {
    if (this.#phase === 'closing') {
      if (this.#linger?.discard(bytes.length) === false) this.socket.destroy();
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#advance(waiting === null ? bytes : Buffer.concat([waiting, bytes]));
  }

  #endInput(): void {
    this.#isHalfClosed = true;
    const exchange = this.#exchange;
    if (exchange !== null && this.#body === null) {
      setTimeout(() => {
        if (!exchange.isBegun && !exchange.isPromised) this.socket.destroy();
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

  /** Keeps the rest until an answer, room, or another turn. */
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

  /** Returns the offset of the body, or -1 if the head is incomplete or refused. */
  #takeHead(bytes: Buffer, from: number): number {
    let at = from;
    while (bytes[at] === kCr && bytes[at + 1] === kLf) at += 2;
    if (at === bytes.length) return at;
    const read = this.#heads.read(bytes, at);
    if (read === null) {
      if (this.#phase !== 'head') {
        // The first head shares the timeout of its connection.
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
    // A client that already has its answer does not send its body.
    if (read.expectsContinue && this.#body !== null && this.#exchange === exchange) {
      exchange.isAwaited = false;
      this.outlet.write('HTTP/1.1 100 Continue\r\n\r\n');
    }
  }

  // Output.

  /** Returns true if this answer ends the connection. Called once, for the answer's head. */
  endsWith(exchange: WireExchange, closes: boolean): boolean {
    const isUnasked = exchange.isAwaited && this.#body !== null;
    exchange.closes ||= closes || this.#isHalfClosed || isUnasked;
    return exchange.closes;
  }

  /** The last byte of this exchange's answer is written. */
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

  /** The next request may start. */
  #flow(): void {
    if (this.socket.isPaused()) this.socket.resume();
  }

  #enter(phase: Phase, ms: number): void {
    this.#phase = phase;
    this.#deadline = performance.now() + ms;
  }

  /** The time for a client to read the written bytes, in milliseconds. */
  #flushMs(): number {
    const { writableLength } = this.socket;
    if (writableLength === 0) return 0;
    return this.#host.times.restTimeoutMs + writableLength / kAnswerBytesPerMs;
  }

  /**
   * Sends `last` and closes the connection. Further input is read and discarded until the client
   * has the answer: unread or later input would make the systems drop the end of it.
   */
  #close(last: string): void {
    const { socket } = this;
    this.#waiting = null;
    this.#linger ??= new Linger(this.#host.times.restTimeoutMs);
    if (last !== '') this.outlet.write(last);
    this.#enter('closing', kLingerMs + this.#flushMs());
    socket.end(() => {
      this.#deadline = performance.now() + kLingerMs;
    });
    socket.resume();
  }
}

/** Null if there is no body. 'unsound' for both framings at once, and for an invalid length. */
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
  // Default for a listener that is not set.
}
