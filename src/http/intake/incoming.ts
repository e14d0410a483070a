/**
 * The incoming body of one request: flow control, its consumer, and how long the client has been
 * silent. docs/internals/request.md draws its states. Allocates nothing per chunk.
 */

import { AppError, toAppError } from '../../common/errors/app-error.js';
import { Later } from '../../common/model/later.js';

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

type IncomingFlow =
  | { readonly kind: 'flowing' }
  | { readonly kind: 'paused'; readonly since: number }
  /** The bytes that caused the pause included the end, so the connection must flow again. */
  | { readonly kind: 'blocked'; readonly since: number }
  /** Final: the body is complete. */
  | { readonly kind: 'complete' };

const flowing: IncomingFlow = { kind: 'flowing' };
const complete: IncomingFlow = { kind: 'complete' };

/** Discards unwanted bytes. */
const discard: IncomingBody = { onChunk: nothing, onEnd: nothing, stop: nothing };

/** The minimum long-run rate of a body; otherwise a client could hold its place for ever. */
const kBodyBytesPerMs = 1;

export class Incoming implements BodySink, BodyOwner {
  /** The declared length; null when it is chunked or absent. */
  readonly contentLength: number | null;
  /** Time of the last byte, of the end, or of the last work on the body. */
  progressAt: number;
  readonly #host: IncomingHost;
  readonly #exchange: Exchange;
  readonly #onFault: (error: unknown) => void;
  readonly #startedAt: number;
  #flow: IncomingFlow = complete;
  #taker: IncomingBody = discard;
  /** Null: no consumer. */
  #passed: Later<void> | null = null;
  #received = 0;
  /** Total time in which the client was not allowed to send. */
  #pausedMs = 0;

  /** `onFault` gets errors that the consumer throws. */
  constructor(host: IncomingHost, exchange: Exchange, onFault: (error: unknown) => void) {
    this.#host = host;
    this.#exchange = exchange;
    this.#onFault = onFault;
    this.#startedAt = host.now();
    this.progressAt = this.#startedAt;
    const length = exchange.head.contentLength;
    this.contentLength = length === undefined ? null : Number(length);
  }

  /** Call this in the turn in which the request arrived. */
  begin(): void {
    const isChunked = this.#exchange.head.transferEncoding !== undefined;
    if (!isChunked && (this.contentLength ?? 0) === 0) return;
    this.#flow = flowing;
    this.#exchange.receive(this);
  }

  get isComplete(): boolean {
    return this.#flow.kind === 'complete' || this.#flow.kind === 'blocked';
  }

  /** Remaining bytes; infinite if unknown. */
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

  /** See Request.consume. */
  consume(target: BodyTarget, limit: number, decoding?: BodyDecoding): Later<void> {
    const encoding = bodyEncoding(this.#exchange.head.contentEncoding, decoding?.unnamed);
    if (encoding === 'identity' && (this.contentLength ?? 0) > limit) throw tooLarge(limit);
    const openBody = bodyMaker(encoding, decoding?.makeDecoder);
    const passed = new Later<void>();
    this.#passed = passed;
    this.#giveTo(openBody({ owner: this, target, limit }));
    return passed;
  }

  /** See Request.readAll. */
  async readAll(limit: number): Promise<Uint8Array> {
    if (bodyEncoding(this.#exchange.head.contentEncoding) !== 'identity') {
      throw new AppError('unsupported_encoding', 'this route does not accept a compressed body');
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
   * Discards up to `sizeMax` further bytes. Calls `done` at the end or above the limit. REQUIRES:
   * the previous consumer is dropped.
   */
  drain(sizeMax: number, done: () => void): void {
    let size = 0;
    const onChunk = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size > sizeMax) done();
    };
    this.#taker = { onChunk, onEnd: done, stop: nothing };
  }

  /** Stops the consumer and discards further bytes. Idempotent. */
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

  /** Does nothing unless paused. */
  resume(): void {
    const flow = this.#flow;
    if (flow.kind !== 'paused' && flow.kind !== 'blocked') return;
    this.progressAt = this.#host.now();
    this.#pausedMs += this.progressAt - flow.since;
    this.#flow = flow.kind === 'paused' ? flowing : complete;
    this.#exchange.resume();
  }

  /** A client that waits for its turn is not late, neither during the wait nor because of it. */
  isLate(now: number, silenceMaxMs: number): boolean {
    if (this.#flow.kind !== 'flowing') return false;
    const allowedMs = silenceMaxMs + this.#pausedMs + this.#received / kBodyBytesPerMs;
    return now - this.progressAt > silenceMaxMs || now - this.#startedAt > allowedMs;
  }
}

function nothing(): void {
  // An unwanted body.
}
