/**
 * One request in progress. This one wrapper runs every route. Throws, rejections, routes that never
 * answer and clients that disconnect all end here, with an answer or a closed connection.
 * docs/internals/request.md draws its states.
 */

import { anybody, requireScope, type Caller } from '../auth/token.js';
import { AppError, toAppError } from '../../common/errors/app-error.js';
import { freeBytes } from '../../common/model/given-bytes.js';
import { Later } from '../../common/model/later.js';
import { Incoming, type IncomingHost } from '../intake/incoming.js';
import { errorReply, headersOf } from '../route/error-reply.js';
import { isStreamed, type BodyPieces, type Reply } from '../route/reply.js';
import { warningHeader, withWarnings } from '../route/warnings.js';
import { isNegotiable, type CodedAnswers } from './coded-answers.js';

import type { Link } from '../../common/model/chain.js';
import type { ErrorCode } from '../../common/errors/catalog.js';
import type { Log } from '../../telemetry/log.js';
import type { FaultLog } from '../../telemetry/fault-log.js';
import type { RefusalLog } from '../../telemetry/refusal-log.js';
import type { RequestMetrics } from '../../telemetry/request-metrics.js';
import type { Cors } from '../guard/cors.js';
import type { BodyTarget, BodyDecoding } from '../intake/body-encoding.js';
import type { PathParameter } from '../route/build-table.js';
import type { LogDetails, Request } from '../route/request.js';
import type { Answered, Route, RouteProtocol } from '../route/route.js';
import type { AnswerHead, Exchange, RequestHead } from '../transport/transport.js';
import type { ServiceTimes } from './service-times.js';

export interface RunHost extends IncomingHost {
  readonly times: ServiceTimes;
  readonly log: Log;
  readonly requestMetrics: RequestMetrics;
  readonly isStopping: boolean;
  readonly slowRequestMs: number;
  readonly slowQueryMs: number;
  readonly refusals: RefusalLog;
  readonly faults: FaultLog;
  readonly cors: Cors;
  readonly answers: CodedAnswers;
  /** Version of the server. */
  readonly version: string;
  nameRequest(wanted: string | undefined): string;
  ended(run: RouteRun): void;
}

/** The route's hold on the request, in any state. */
interface RouteWork {
  /** Tells the route that the client disconnected. Called at most once. */
  abandon: () => void;
  /** The route's own time limit; null if it has none. */
  limitMs: number | null;
}

interface Ending {
  /** True to close the connection, too. */
  readonly closes: boolean;
}

type State =
  /** No answer yet. */
  | { readonly kind: 'working'; readonly work: RouteWork }
  /** The answer is a stream; its first pieces are awaited, mostly two. */
  | { readonly kind: 'opening'; readonly work: RouteWork }
  /** The head is sent, and pieces follow. */
  | { readonly kind: 'streaming'; readonly work: RouteWork }
  /** Like `streaming`, but the client does not read. */
  | {
      readonly kind: 'stalled';
      readonly work: RouteWork;
      readonly since: number;
      readonly wake: () => void;
    }
  /** A refusal waits for the rest of a chunked body. */
  | { readonly kind: 'held'; readonly work: RouteWork; readonly reply: Reply }
  /** Final: the answer is sent, or the client disconnected. */
  | { readonly kind: 'over' };

const over: State = { kind: 'over' };

const noWarnings: readonly string[] = [];
/** The most warnings per request; a body may have a thousand members. */
const kWarningsMax = 5;

/** The largest declared rest of a body that is discarded to keep the connection usable. */
const kDrainDeclaredMax = 256 * 1024 * 1024;
/** The same limit for a chunked body, which declares no size. */
const kDrainChunkedMax = 8 * 1024 * 1024;

export class RouteRun implements Request, Link<RouteRun> {
  before: RouteRun | null = null;
  after: RouteRun | null = null;
  head: RequestHead;
  /** The authenticated principal. */
  caller: Caller = anybody;
  /** The protocol that formats its errors; null means ours. */
  protocol: RouteProtocol | null = null;
  readonly #requestId: string;
  readonly #host: RunHost;
  readonly #exchange: Exchange;
  readonly #startedAt: number;
  readonly #incoming: Incoming;
  /** The path of the route, or `none`: the label in metrics. */
  #routePath = 'none';
  #told: (() => LogDetails) | null = null;
  #warnings: readonly string[] = noWarnings;
  /** The code at the end, unless the client disconnected. */
  #outcome: ErrorCode | 'ok' = 'ok';
  #state: State = { kind: 'working', work: { abandon: nothing, limitMs: null } };

  constructor(host: RunHost, exchange: Exchange) {
    this.#host = host;
    this.#startedAt = host.now();
    this.#exchange = exchange;
    this.#incoming = new Incoming(host, exchange, (error) => {
      this.fail(error);
    });
    this.head = exchange.head;
    this.#requestId = host.nameRequest(exchange.head.requestId);
    exchange.onGone = () => {
      this.#end(0);
    };
  }

  // The request.

  beginBody(): void {
    this.#incoming.begin();
  }

  principal(): string {
    return this.caller.name ?? this.#exchange.peerAddress();
  }

  get contentLength(): number | null {
    return this.#incoming.contentLength;
  }

  consume(target: BodyTarget, limit: number, decoding?: BodyDecoding): Later<void> {
    return this.#incoming.consume(target, limit, decoding);
  }

  readAll(limit: number): Promise<Uint8Array> {
    return this.#incoming.readAll(limit);
  }

  promiseAnswer(): void {
    this.#exchange.promiseAnswer();
  }

  onAbandoned(listener: () => void): void {
    if (this.#state.kind === 'over') listener();
    else this.#state.work.abandon = listener;
  }

  mayTake(ms: number): void {
    if (this.#state.kind !== 'over') this.#state.work.limitMs = ms;
  }

  describe(told: () => LogDetails): void {
    this.#told = told;
  }

  warn(text: string): void {
    if (this.#warnings.length >= kWarningsMax || this.#warnings.includes(text)) return;
    this.#warnings = [...this.#warnings, text];
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Passes a path segment as a parameter. Characters with a meaning in query strings are encoded.
   */
  takeFromPath({ name, index }: PathParameter): void {
    const { path, query } = this.head;
    const part = path.split('/')[index] ?? '';
    const value = part.replaceAll('+', '%2B').replaceAll('&', '%26');
    const more = query === '' ? '' : `&${query}`;
    this.head = { ...this.head, query: `${name}=${value}${more}` };
  }

  // The answer.

  route<Context>(route: Route<Context>, context: Context): void {
    this.#routePath = route.path;
    let pending: Answered;
    try {
      const { scope } = route;
      const wanted = scope === 'status' ? 'read' : scope;
      if (wanted !== 'public' && wanted !== 'token') requireScope(this.caller, wanted);
      if (scope === 'write') this.promiseAnswer();
      pending = route.respond(this, context);
    } catch (error) {
      this.fail(error);
      return;
    }
    const fail = (error: unknown): void => {
      this.fail(error);
    };
    const reply = (ready: Reply): void => {
      try {
        this.#reply(ready);
      } catch (error) {
        fail(error);
      }
    };
    if (pending instanceof Later) pending.tell(reply, fail);
    else if (pending instanceof Promise) pending.then(reply, fail);
    else this.#reply(pending);
  }

  fail(thrown: unknown): void {
    const error = toAppError(thrown);
    if (error.status >= 500 && error.code !== 'ingest_backpressure') this.#logFault(error);
    switch (this.#state.kind) {
      case 'streaming':
      case 'stalled':
        this.#outcome = error.code;
        this.#exchange.cut();
        this.#end(error.status);
        return;
      case 'working':
      case 'opening':
        this.#refuse(error);
        return;
      default:
      // An answer that has begun cannot be refused.
    }
  }

  /** Refuses the request, if no byte of an answer is sent. */
  #refuse(error: AppError, { closes = false }: { readonly closes?: boolean } = {}): void {
    if (this.#state.kind !== 'working' && this.#state.kind !== 'opening') return;
    const { work } = this.#state;
    this.#outcome = error.code;
    this.#host.refusals.tell({
      code: error.code,
      caller: this.caller.name,
      address: () => this.#exchange.peerAddress(),
    });
    this.#abandon(work);
    this.#settle(this.#printed(error), work, { closes });
  }

  /** `path` is the path of the declared routes. */
  refuseMethod(allow: string, path: string): void {
    this.#routePath = path;
    const error = new AppError(
      'method_not_allowed',
      `${this.head.method} is not allowed here, only ${allow}`,
    );
    this.#reply(this.#printed(error, [['allow', allow]]));
  }

  #printed(refusal: AppError, headers = headersOf(refusal.code, refusal.status)): Reply {
    const error = withWarnings(refusal, this.#warnings);
    if (this.protocol === null) return errorReply(error, headers);
    const { version } = this.#host;
    const { contentType } = this.head;
    return this.protocol.printError({ error, headers, version, contentType });
  }

  preflight(reply: Reply): void {
    this.#reply(reply);
  }

  /**
   * The head is ambiguous, so the following bytes may hide a request. The answer waits a turn:
   * meanwhile the transport runs no further request of this connection.
   */
  refuseHead(error: AppError): void {
    setImmediate(() => {
      this.#send(errorReply(error), { closes: true });
    });
  }

  /** Called periodically; `now` is the host's clock. */
  checkTime(now: number): void {
    const state = this.#state;
    const { times } = this.#host;
    switch (state.kind) {
      case 'working':
      case 'opening':
        this.#checkWork(now, state.work);
        return;
      case 'held':
        this.#release(state.reply);
        return;
      case 'stalled':
        if (now - state.since <= times.readerSilenceMs) {
          this.#exchange.holdOpen();
          return;
        }
        this.#exchange.cut();
        this.#end(0);
        return;
      case 'streaming':
        this.#exchange.holdOpen();
        return;
      case 'over':
      // This state has no time limit.
    }
  }

  #checkWork(now: number, { limitMs }: RouteWork): void {
    const { times } = this.#host;
    if (this.#incoming.isComplete) {
      this.#exchange.holdOpen();
      if (now - this.#incoming.progressAt <= (limitMs ?? times.answerMs)) return;
      this.fail(new AppError('request_timeout', 'the request was not finished in time'));
    } else if (this.#incoming.isLate(now, times.bodySilenceMs)) {
      const error = new AppError('body_timeout', 'the body of the request arrives too slowly');
      // Do not wait for the rest of the body.
      this.#refuse(error, { closes: true });
    } else {
      this.#exchange.holdOpen();
    }
  }

  #reply(reply: Reply): void {
    if (this.#state.kind === 'working') this.#settle(reply, this.#state.work, { closes: false });
    else if (isStreamed(reply.body)) reply.body.close();
  }

  /** Decides how the answer ends, and what happens to the rest of the body. */
  #settle(reply: Reply, work: RouteWork, { closes }: Ending): void {
    const incoming = this.#incoming;
    incoming.drop();
    incoming.resume();
    const isClosing = closes || incoming.restSize > kDrainDeclaredMax;
    if (isStreamed(reply.body) || (isNegotiable(reply) && !isClosing)) {
      const plain = this.#host.answers.plain(reply, this.head.acceptEncoding);
      if (plain === null) void this.#open(reply, work);
      else this.#send(plain, { closes: false });
      return;
    }
    const isRestUnknown = !incoming.isComplete && incoming.contentLength === null;
    if (isRestUnknown && reply.status >= 400 && !closes) {
      this.#state = { kind: 'held', work, reply };
      incoming.drain(kDrainChunkedMax, () => {
        this.#release(reply);
      });
      return;
    }
    this.#send(reply, { closes: isClosing });
  }

  /** Sends a held refusal, and closes the connection if the body still arrives. */
  #release(reply: Reply): void {
    if (this.#state.kind === 'held') this.#send(reply, { closes: !this.#incoming.isComplete });
  }

  #send(reply: Reply, { closes }: Ending): void {
    if (this.#state.kind === 'over' || isStreamed(reply.body)) return;
    const head = this.#headOf(reply);
    this.#exchange.answer(head, reply.body, { closes: closes || this.#host.isStopping });
    this.#end(reply.status);
  }

  /** Sends a complete answer at once, a stream piece by piece. Never rejects. */
  async #open(reply: Reply, work: RouteWork): Promise<void> {
    const opening: State = { kind: 'opening', work };
    this.#state = opening;
    let { body } = reply;
    try {
      const answer = await this.#host.answers.open(reply, this.head.acceptEncoding);
      if (isStreamed(answer.body)) ({ body } = answer);
      // The client disconnected, or the request took too long.
      if (!this.#is(opening)) return;
      if (!isStreamed(answer.body)) {
        this.#send(answer, { closes: false });
        return;
      }
      this.#beginStream(answer, work);
      if (this.head.method !== 'HEAD') await this.#writePieces(answer.body, work);
      // Both calls do nothing if the client disconnected meanwhile.
      this.#exchange.finish();
      this.#end(answer.status);
    } catch (error) {
      // Before the first byte this sends an error; after it, this cuts the connection.
      this.fail(error);
    } finally {
      if (isStreamed(body)) body.close();
    }
  }

  #beginStream(answer: Reply, work: RouteWork): void {
    const streaming: State = { kind: 'streaming', work };
    this.#state = streaming;
    this.#exchange.onWritable = () => {
      if (this.#state.kind !== 'stalled') return;
      const { wake } = this.#state;
      this.#state = streaming;
      wake();
    };
    this.#exchange.begin(this.#headOf(answer));
  }

  /** A call, since TypeScript assumes that the state cannot change during an await. */
  #is(state: State): boolean {
    return this.#state === state;
  }

  async #writePieces(pieces: BodyPieces, work: RouteWork): Promise<void> {
    for (;;) {
      const piece = await pieces.next();
      if (piece === null) return;
      if (this.#is(over)) {
        freeBytes(piece);
        return;
      }
      const since = this.#host.now();
      if (piece.byteLength > 0 && !this.#exchange.write(piece)) {
        await new Promise<void>((wake) => {
          // The client may have disconnected during the write.
          if (this.#is(over)) wake();
          else this.#state = { kind: 'stalled', work, since, wake };
        });
      }
    }
  }

  #headOf({ status, contentType, headers = [] }: Reply): AnswerHead {
    const cors = this.#host.cors.headersFor(this.head.origin);
    const told = this.warnings.map(warningHeader);
    const all = [...headers, ...told, ...cors, ['x-request-id', this.#requestId] as const];
    return { status, contentType, headers: all };
  }

  #abandon(work: RouteWork): void {
    const { abandon } = work;
    work.abandon = nothing;
    this.#incoming.drop();
    try {
      abandon();
    } catch (error) {
      this.#logFault(toAppError(error));
    }
  }

  #logFault(error: AppError): void {
    const { code, message: reason } = error;
    const request = { request_id: this.#requestId, route: this.#routePath };
    const { cause } = error;
    this.#host.faults.tell({
      cause: `${code} ${reason} ${cause instanceof Error ? cause.message : ''}`,
      fields: () => {
        const stack = cause instanceof Error ? (cause.stack ?? cause.message) : '';
        return { ...request, code, reason, cause: stack };
      },
    });
  }

  /** `status` 0 means that the client disconnected. */
  #end(status: number): void {
    const last = this.#state;
    if (last.kind === 'over') return;
    // Drop all references, so that a retained Run does not retain its request.
    this.#state = over;
    if (status === 0) this.#abandon(last.work);
    else this.#incoming.drop();
    if (last.kind === 'stalled') last.wake();
    const seconds = (this.#host.now() - this.#startedAt) / 1000;
    const { method } = this.head;
    this.#host.requestMetrics.record({ route: this.#routePath, method, status, seconds });
    if (this.protocol !== null) {
      this.#host.requestMetrics.protocols.recordRequest(this.protocol.name, status);
    }
    this.#logEnd(status, seconds * 1000);
    this.#told = null;
    this.#host.ended(this);
  }

  /** The query string may hold anything, so it is never logged. */
  #logEnd(status: number, durationMs: number): void {
    const { log, slowRequestMs, slowQueryMs } = this.#host;
    const isSlow = slowRequestMs > 0 && durationMs >= slowRequestMs;
    const told = slowQueryMs > 0 && durationMs >= slowQueryMs ? this.#told?.() : undefined;
    const message = told !== undefined ? 'slow query' : isSlow ? 'slow request' : 'request';
    const level = message === 'request' ? 'debug' : 'warn';
    if (!log.takes(level)) return;
    log.write(level, message, {
      request_id: this.#requestId,
      method: this.head.method.slice(0, 16),
      route: this.#routePath,
      ...(this.caller.name === null ? {} : { caller: this.caller.name }),
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      ...(told === undefined ? {} : { outcome: status === 0 ? 'cancelled' : this.#outcome }),
      ...told,
    });
  }
}

function nothing(): void {
  // The initial listener.
}
