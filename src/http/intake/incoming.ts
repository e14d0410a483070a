/**
 * The body of one request on its way in: whether its bytes may flow, who takes them, and since when
 * nothing came. Its life is drawn in docs/internals/request.md. Nothing is made for a chunk.
 */

import { AppError, toAppError } from '../../errors/app-error.js';
import { Later } from '../../model/later.js';

import {
  WholeBody,
  bodyEncoding,
  bodyMaker,
  tooLarge,
  type BodyDecoding,
  type BodyOwner,
  type BodyTarget,
  type IncomingBody,
} from './body-encoding.js';

import type { BodySink, Exchange } from '../transport/transport.js';
import type { Turns } from './turns.js';

export interface IncomingHost {
  readonly turns: Turns;
  now(): number;
}

type Flow =
  | { readonly kind: 'flowing' }
  | { readonly kind: 'paused'; readonly since: number }
  /** The end came with the bytes that made it pause: the connection has to flow again. */
  | { readonly kind: 'blocked'; readonly since: number }
  /** Final: the end has come. */
  | { readonly kind: 'complete' };

const flowing: Flow = { kind: 'flowing' };
const complete: Flow = { kind: 'complete' };

/** Takes what nobody wants. */
const discard: IncomingBody = { onChunk: nothing, onEnd: nothing, stop: nothing };

/** A body must come at this rate in the long run, or a client could hold its place for ever. */
const kBodyBytesPerMs = 1;

export class Incoming implements BodySink, BodyOwner {
  /** The declared length; null when it is chunked or absent. */
  readonly contentLength: number | null;
  /** When its last byte came, or its end, or some of it was worked on. */
  progressAt: number;
  readonly #host: IncomingHost;
  readonly #exchange: Exchange;
  readonly #onFault: (error: unknown) => void;
  readonly #startedAt: number;
  #flow: Flow = complete;
  #taker: IncomingBody = discard;
  /** Null: nobody consumes it. */
  #passed: Later<void> | null = null;
  #received = 0;
  /** How long the client might not send, all in all. */
  #pausedMs = 0;

  /** `onFault` is told what its taker throws. */
  constructor(host: IncomingHost, exchange: Exchange, onFault: (error: unknown) => void) {
    this.#host = host;
    this.#exchange = exchange;
    this.#onFault = onFault;
    this.#startedAt = host.now();
    this.progressAt = this.#startedAt;
    const length = exchange.head.contentLength;
    this.contentLength = length === undefined ? null : Number(length);
  }

  /** Call in the turn in which the request came. */
  begin(): void {
    const isChunked = this.#exchange.head.transferEncoding !== undefined;
    if (!isChunked && (this.contentLength ?? 0) === 0) return;
    this.#flow = flowing;
    this.#exchange.receive(this);
  }

  get isComplete(): boolean {
    return this.#flow.kind === 'complete' || this.#flow.kind === 'blocked';
  }

  /** How many bytes are still to come; infinite where nobody knows. */
  get restSize(): number {
    return this.isComplete ? 0 : (this.contentLength ?? Infinity) - this.#received;
  }

  onChunk(chunk: Uint8Array): void {
    this.#received += chunk.byteLength;
    this.progressAt = this.#host.now();
    try {
      this.#taker.onChunk(chunk);
    } catch (error) {
      this.#onFault(error);
    }
  }

  onEnd(): void {
    const flow = this.#flow;
    this.#flow = flow.kind === 'paused' ? { kind: 'blocked', since: flow.since } : complete;
    this.progressAt = this.#host.now();
    this.#taker.onEnd();
  }

  /** As Request.consume. */
  consume(target: BodyTarget, limit: number, decoding?: BodyDecoding): Later<void> {
    const encoding = bodyEncoding(this.#exchange.head.contentEncoding, decoding?.unnamed);
    if (encoding === 'identity' && (this.contentLength ?? 0) > limit) throw tooLarge(limit);
    const openBody = bodyMaker(encoding, decoding?.makeDecoder);
    const passed = new Later<void>();
    this.#passed = passed;
    this.#giveTo(openBody({ owner: this, target, limit }));
    return passed;
  }

  /** As Request.readAll. */
  async readAll(limit: number): Promise<Uint8Array> {
    if (bodyEncoding(this.#exchange.head.contentEncoding) !== 'identity') {
      throw new AppError('unsupported_encoding', 'this body cannot be compressed');
    }
    if ((this.contentLength ?? 0) > limit) throw tooLarge(limit);
    return new Promise((resolve, reject) => {
      const refuse = (error: AppError): void => {
        this.#taker = discard;
        reject(error);
      };
      this.#giveTo(new WholeBody(limit, resolve, refuse));
    });
  }

  /**
   * Lets up to `sizeMax` bytes more in for nobody; `done` is called when the end comes, or when
   * there are more. What took the body before is to be dropped already.
   */
  drain(sizeMax: number, done: () => void): void {
    let size = 0;
    const onChunk = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size > sizeMax) done();
    };
    this.#taker = { onChunk, onEnd: done, stop: nothing };
  }

  /** Who takes the body is stopped; what still comes is thrown away. Idempotent. */
  drop(): void {
    const taker = this.#taker;
    this.#taker = discard;
    taker.stop();
  }

  #giveTo(taker: IncomingBody): void {
    this.#taker = taker;
    if (this.isComplete) taker.onEnd();
  }

  get turns(): Turns {
    return this.#host.turns;
  }

  setFlow(flow: 'open' | 'held'): void {
    if (flow === 'open') this.resume();
    else this.#pause();
  }

  noteProgress(): void {
    this.progressAt = this.#host.now();
  }

  finish(): void {
    this.#passed?.settle();
  }

  fail(error: unknown): void {
    this.#taker = discard;
    this.#passed?.fail(toAppError(error));
  }

  #pause(): void {
    if (this.#flow.kind !== 'flowing') return;
    this.#flow = { kind: 'paused', since: this.#host.now() };
    this.#exchange.pause();
  }

  /** Does nothing where nothing is paused. */
  resume(): void {
    const flow = this.#flow;
    if (flow.kind !== 'paused' && flow.kind !== 'blocked') return;
    this.progressAt = this.#host.now();
    this.#pausedMs += this.progressAt - flow.since;
    this.#flow = flow.kind === 'paused' ? flowing : complete;
    this.#exchange.resume();
  }

  /** A client that waits for its turn is not late, nor is it by that afterwards. */
  isLate(now: number, silenceMaxMs: number): boolean {
    if (this.#flow.kind !== 'flowing') return false;
    const allowedMs = silenceMaxMs + this.#pausedMs + this.#received / kBodyBytesPerMs;
    return now - this.progressAt > silenceMaxMs || now - this.#startedAt > allowedMs;
  }
}

function nothing(): void {
  // A body that nobody wants any more.
}
