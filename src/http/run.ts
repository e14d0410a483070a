/**
 * One request in progress: its body on the way in, its answer on the way out. The one wrapper that
 * carries every route: a throw, a rejection, a route that never answers and a client that goes
 * away all end here, with a proper answer or a closed connection.
 */

import { AppError, toAppError } from '../errors/app-error.js';

import {
  WholeBody,
  bodyEncoding,
  bodyMaker,
  tooLarge,
  type BodyOwner,
  type BodyTarget,
  type IncomingBody,
  type PieceDecoder,
} from './body-encoding.js';
import { errorReply } from './error-reply.js';
import { isStreamed, type BodyPieces, type Reply } from './reply.js';

import type { Request } from './request.js';
import type { Cors } from './cors.js';
import type { Route } from './route.js';
import type { ServiceTimes } from './service-times.js';
import type { AnswerHead, BodySink, Exchange, RequestHead } from './transport/transport.js';
import type { Turns } from './turns.js';
import type { Log } from '../telemetry/log.js';
import type { RequestMetrics } from '../telemetry/request-metrics.js';

export interface RunHost {
  readonly times: ServiceTimes;
  readonly turns: Turns;
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  readonly isStopping: boolean;
  readonly slowRequestMs: number;
  readonly cors: Cors;
  now(): number;
  nameRequest(wanted: string | undefined): string;
  ended(run: Run): void;
}

/** A declared rest up to this is let in and thrown away, so that the connection can live on. */
const kDrainDeclaredMax = 256 * 1024 * 1024;
/** Of a chunked body, whose rest nobody knows, this much. */
const kDrainChunkedMax = 8 * 1024 * 1024;

/** A body must come at this rate in the long run, or a client could hold its place for ever. */
const kBodyBytesPerMs = 1;

const discard: BodySink = { onChunk: nothing, onEnd: nothing };

export class Run implements Request, BodySink {
  readonly head: RequestHead;
  readonly contentLength: number | null;
  readonly #requestId: string;
  readonly #host: RunHost;
  readonly #exchange: Exchange;
  readonly #startedAt: number;
  /** The path of the route, or `none`: the label in metrics. */
  #routePath = 'none';
  #sink: BodySink | null = null;
  #isBodyDone = true;
  #received = 0;
  /** Since when the client may not send; null while it may. */
  #pausedAt: number | null = null;
  /** How long it might not, all in all. */
  #pausedMs = 0;
  #isOver = false;
  #isAnswering = false;
  #isStreaming = false;
  /** The answer ends the connection. */
  #isCutAfter = false;
  /** An error answer that waits for the rest of a chunked body. */
  #held: Reply | null = null;
  #progressAt: number;
  /** Of a route with a time limit of its own. */
  #answerMs: number | null = null;
  #abandon: (() => void) | null = null;
  #body: IncomingBody | null = null;
  #wakeWriter: (() => void) | null = null;

  constructor(host: RunHost, exchange: Exchange) {
    this.#host = host;
    this.#startedAt = host.now();
    this.#progressAt = this.#startedAt;
    this.#exchange = exchange;
    this.head = exchange.head;
    this.#requestId = host.nameRequest(exchange.head.requestId);
    const length = exchange.head.contentLength;
    this.contentLength = length === undefined ? null : Number(length);
    exchange.onGone = () => {
      this.#end(0);
    };
  }

  // The request's side.

  beginBody(): void {
    const isChunked = this.head.transferEncoding !== undefined;
    if (!isChunked && (this.contentLength ?? 0) === 0) return;
    this.#isBodyDone = false;
    this.#exchange.receive(this);
  }

  onChunk(chunk: Uint8Array): void {
    this.#received += chunk.byteLength;
    this.#progressAt = this.#host.now();
    if (this.#held !== null) {
      if (this.#received > kDrainChunkedMax) this.#releaseHeld();
      return;
    }
    if (this.#sink === null) return;
    try {
      this.#sink.onChunk(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  onEnd(): void {
    this.#isBodyDone = true;
    this.#progressAt = this.#host.now();
    if (this.#held !== null) this.#releaseHeld();
    else this.#sink?.onEnd();
  }

  onAbandoned(listener: () => void): void {
    this.#abandon = listener;
  }

  mayTake(ms: number): void {
    this.#answerMs = ms;
  }

  consume(target: BodyTarget, limit: number, makeZstd?: () => PieceDecoder): Promise<void> {
    const encoding = bodyEncoding(this.head.contentEncoding);
    if (encoding === 'identity' && (this.contentLength ?? 0) > limit) throw tooLarge(limit);
    const openBody = bodyMaker(encoding, makeZstd);
    return new Promise((resolve, reject) => {
      const body = openBody({ owner: this.#bodyOwner(resolve, reject), target, limit });
      this.#sink = body;
      this.#body = body;
      if (this.#isBodyDone) body.onEnd();
    });
  }

  #bodyOwner(finish: () => void, reject: (error: AppError) => void): BodyOwner {
    return {
      turns: this.#host.turns,
      setFlow: (isOpen) => {
        if (isOpen) this.#resume();
        else this.#pause();
      },
      noteProgress: () => {
        this.#progressAt = this.#host.now();
      },
      finish,
      fail: (error) => {
        this.#sink = discard;
        reject(toAppError(error));
      },
    };
  }

  #pause(): void {
    if (this.#isBodyDone || this.#pausedAt !== null) return;
    this.#pausedAt = this.#host.now();
    this.#exchange.pause();
  }

  #resume(): void {
    if (this.#pausedAt === null) return;
    this.#progressAt = this.#host.now();
    this.#pausedMs += this.#progressAt - this.#pausedAt;
    this.#pausedAt = null;
    this.#exchange.resume();
  }

  async readAll(limit: number): Promise<Uint8Array> {
    if (bodyEncoding(this.head.contentEncoding) !== 'identity') {
      throw new AppError('unsupported_encoding', 'this body cannot be compressed');
    }
    if ((this.contentLength ?? 0) > limit) throw tooLarge(limit);
    return new Promise((resolve, reject) => {
      this.#sink = new WholeBody(limit, resolve, (error) => {
        this.#sink = discard;
        reject(error);
      });
      if (this.#isBodyDone) this.#sink.onEnd();
    });
  }

  // The answer's side.

  route<Context>(route: Route<Context>, context: Context): void {
    this.#routePath = this.head.path;
    let pending: Reply | Promise<Reply>;
    try {
      pending = route.respond(this, context);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (!(pending instanceof Promise)) {
      this.#reply(pending);
      return;
    }
    pending
      .then((reply) => {
        this.#reply(reply);
      })
      .catch((error: unknown) => {
        this.fail(error);
      });
  }

  fail(thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.status >= 500 && error.code !== 'ingest_backpressure') this.#logFault(error);
    if (this.#isStreaming) {
      this.#exchange.cut();
      this.#end(error.status);
      return;
    }
    this.#abandonWork();
    this.#reply(errorReply(error));
  }

  refuseMethod(allow: string): void {
    this.#routePath = this.head.path;
    const error = new AppError('method_not_allowed', `${this.head.method} is not allowed here`);
    this.#reply(errorReply(error, [['allow', allow]]));
  }

  preflight(reply: Reply): void {
    this.#reply(reply);
  }

  /**
   * The head can be read in two ways, so what follows it may be a hidden request. The answer waits
   * a turn: while it is owed, the transport runs no further request of this connection.
   */
  refuseHead(error: AppError): void {
    setImmediate(() => {
      this.#send(errorReply(error), true);
    });
  }

  /** Called now and then; `now` is the host's. */
  checkTime(now: number): void {
    const silentMs = now - this.#progressAt;
    const { times } = this.#host;
    if (this.#held !== null) {
      this.#releaseHeld();
    } else if (this.#isStreaming) {
      if (this.#wakeWriter !== null && silentMs > times.readerSilenceMs) {
        this.#exchange.cut();
        this.#end(0);
      }
    } else if (this.#isBodyDone) {
      if (silentMs <= (this.#answerMs ?? times.answerMs)) return;
      this.fail(new AppError('request_timeout', 'the request was not finished in time'));
    } else if (this.#isBodyLate(now, silentMs)) {
      // The rest is not waited for.
      this.#isCutAfter = true;
      this.fail(new AppError('body_timeout', 'the body of the request comes too slowly'));
    } else {
      this.#exchange.holdOpen();
    }
  }

  /** A client that waits for its turn is not late, nor is it by that afterwards. */
  #isBodyLate(now: number, silentMs: number): boolean {
    if (this.#pausedAt !== null) return false;
    const { bodySilenceMs } = this.#host.times;
    const allowedMs = bodySilenceMs + this.#pausedMs + this.#received / kBodyBytesPerMs;
    return silentMs > bodySilenceMs || now - this.#startedAt > allowedMs;
  }

  #reply(reply: Reply): void {
    if (this.#isOver || this.#isAnswering) {
      if (isStreamed(reply.body)) reply.body.close();
      return;
    }
    this.#isAnswering = true;
    this.#sink = discard;
    this.#resume();
    if (isStreamed(reply.body)) {
      void this.#stream(reply, reply.body);
      return;
    }
    const isRestUnknown = !this.#isBodyDone && this.contentLength === null;
    if (isRestUnknown && reply.status >= 400 && !this.#isCutAfter) {
      this.#held = reply;
      this.#received = 0;
      return;
    }
    const rest = this.#isBodyDone ? 0 : (this.contentLength ?? Infinity) - this.#received;
    this.#send(reply, rest > kDrainDeclaredMax);
  }

  #releaseHeld(): void {
    const reply = this.#held;
    this.#held = null;
    if (reply !== null) this.#send(reply, !this.#isBodyDone);
  }

  #send(reply: Reply, closes: boolean): void {
    if (this.#isOver || isStreamed(reply.body)) return;
    this.#exchange.answer(this.#headOf(reply), reply.body, {
      closes: closes || this.#isCutAfter || this.#host.isStopping,
    });
    this.#end(reply.status);
  }

  /** Streams `pieces`; a body of one piece is sent with its length. Never rejects. */
  async #stream(reply: Reply, pieces: BodyPieces): Promise<void> {
    try {
      const first = await pieces.next();
      const second = first === null ? null : await pieces.next();
      if (this.#isOver) return;
      if (second === null) {
        this.#send({ ...reply, body: first ?? '' }, false);
        return;
      }
      this.#isStreaming = true;
      this.#exchange.onWritable = () => this.#wakeWriter?.();
      this.#exchange.begin(this.#headOf(reply));
      if (this.head.method !== 'HEAD') await this.#writePieces([first, second], pieces);
      // Both are no-ops when the client left in the meantime.
      this.#exchange.finish();
      this.#end(reply.status);
    } catch (error) {
      // Before the first byte this is an answer; after it, the connection is cut.
      this.#isAnswering = false;
      this.fail(error);
    } finally {
      pieces.close();
    }
  }

  async #writePieces(ahead: (Uint8Array | null)[], pieces: BodyPieces): Promise<void> {
    for (;;) {
      const piece = ahead.length > 0 ? ahead.shift() : await pieces.next();
      if (this.#isOver || piece === null || piece === undefined) return;
      this.#progressAt = this.#host.now();
      if (piece.byteLength > 0 && !this.#exchange.write(piece)) {
        await new Promise<void>((resolve) => {
          this.#wakeWriter = resolve;
        });
        this.#wakeWriter = null;
      }
    }
  }

  #headOf({ status, contentType, headers = [] }: Reply): AnswerHead {
    const cors = this.#host.cors.headersFor(this.head.origin);
    const all = [...headers, ...cors, ['x-request-id', this.#requestId] as const];
    return { status, contentType, headers: all };
  }

  #abandonWork(): void {
    const abandon = this.#abandon;
    this.#abandon = null;
    this.#body?.stop();
    this.#body = null;
    try {
      abandon?.();
    } catch (error) {
      this.#logFault(toAppError(error));
    }
  }

  #logFault(error: AppError): void {
    const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : '';
    const { code, message: reason } = error;
    const request = { request_id: this.#requestId, route: this.#routePath };
    this.#host.log.write('error', 'request failed', { ...request, code, reason, cause });
  }

  /** `status` 0: the client went away. */
  #end(status: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = null;
    if (status === 0) this.#abandonWork();
    // What lives on by chance keeps nothing of what the request made.
    this.#sink = null;
    this.#body = null;
    this.#abandon = null;
    this.#wakeWriter?.();
    const seconds = (this.#host.now() - this.#startedAt) / 1000;
    const { method } = this.head;
    this.#host.requestMetrics.record({ route: this.#routePath, method, status, seconds });
    this.#logEnd(status, seconds * 1000);
    this.#host.ended(this);
  }

  /** The query string may hold anything, so it is never logged. */
  #logEnd(status: number, durationMs: number): void {
    const { log, slowRequestMs } = this.#host;
    const isSlow = slowRequestMs > 0 && durationMs >= slowRequestMs;
    log.write(isSlow ? 'warn' : 'debug', isSlow ? 'slow request' : 'request', {
      request_id: this.#requestId,
      method: this.head.method.slice(0, 16),
      route: this.#routePath,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
    });
  }
}

function nothing(): void {
  // A body that nobody wants any more.
}
