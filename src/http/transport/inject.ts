/**
 * Calls a service without a socket. The request passes the same guards, wrapper and route as one
 * from a transport, and the complete answer is returned. Transport details such as framing and
 * backpressure are absent.
 */

import {
  addHeader,
  emptyHead,
  hasNoBody,
  type BodySink,
  type Exchange,
  type RequestHead,
} from './transport.js';
import { WholeExchange, type WholeAnswer } from './whole-exchange.js';

export interface InjectedRequest {
  /** GET, or POST with a body. */
  readonly method?: string;
  /** With the query string. */
  readonly target: string;
  /** Lower-case names. The default Host is this machine. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A single value has a Content-Length. A list is sent chunked, one piece per turn of the event
   * loop.
   */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
  readonly peerAddress?: string;
  /** Simulates a client that leaves. */
  readonly signal?: AbortSignal;
}

interface InjectedAnswer {
  readonly status: number;
  /** Lower-case names; `connection: close` if the answer ends the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of pieces of a streamed body; 0 if it was not streamed. */
  readonly pieceCount: number;
}

/** Accepts exchanges; see Service. */
interface ExchangeAcceptor {
  accept(exchange: Exchange): void;
}

/** Rejects if the service cuts the connection, and with the signal's reason. */
export function inject(
  service: ExchangeAcceptor,
  request: InjectedRequest,
): Promise<InjectedAnswer> {
  return new Promise((resolve, reject) => {
    const exchange = new InjectedExchange(request, { resolve, reject });
    service.accept(exchange);
    exchange.deliver();
  });
}

interface InjectedAsker {
  readonly resolve: (answer: InjectedAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** A null answer means that the connection was cut. */
function answerTo(asker: InjectedAsker, isHead: boolean): (answer: WholeAnswer | null) => void {
  return (answer) => {
    if (answer === null) asker.reject(new Error('the connection was cut'));
    else asker.resolve(printed(answer, isHead));
  };
}

class InjectedExchange extends WholeExchange {
  readonly #pieces: Uint8Array[];
  #sink: BodySink | null = null;
  #isPaused = false;
  #isAwaited = false;

  constructor(request: InjectedRequest, asker: InjectedAsker) {
    const { target, body, headers = {}, signal, peerAddress = '127.0.0.1' } = request;
    const method = request.method ?? (body === undefined ? 'GET' : 'POST');
    super(headOf(method, target), peerAddress, answerTo(asker, method === 'HEAD'));
    this.#pieces = piecesOf(body);
    const length = lengthHeader(body, this.#pieces);
    for (const [name, value] of Object.entries({ host: 'localhost', ...length, ...headers })) {
      addHeader(this.head, name, value);
    }
    signal?.addEventListener('abort', () => {
      if (!this.isAlive) return;
      this.leave();
      asker.reject(signal.reason);
    });
  }

  override receive(sink: BodySink): void {
    this.#sink = sink;
  }

  /** Sends the next piece in the next turn, unless the body is discarded by then. */
  deliver(): void {
    if (this.#sink === null || this.#isAwaited) return;
    this.#isAwaited = true;
    setImmediate(() => {
      this.#isAwaited = false;
      const sink = this.#sink;
      if (sink === null || !this.isAlive || this.#isPaused) return;
      const piece = this.#pieces.shift();
      if (piece === undefined) {
        this.#sink = null;
        sink.onEnd();
        return;
      }
      sink.onChunk(piece);
      // The chunk was lent: clearing it reveals later use.
      piece.fill(0);
      this.deliver();
    });
  }

  override pause(): void {
    this.#isPaused = true;
  }

  override resume(): void {
    this.#isPaused = false;
    this.deliver();
  }
}

function printed({ head, body, closes, pieceCount }: WholeAnswer, isHead: boolean): InjectedAnswer {
  const { status, contentType, headers = [] } = head;
  const hasLength = pieceCount === null && !hasNoBody(status);
  const all: Record<string, string> = {
    ...typeOf(contentType),
    ...(hasLength ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
    ...(closes ? { connection: 'close' } : {}),
  };
  for (const [name, value] of headers) {
    const before = all[name];
    all[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const text = Buffer.from(body).toString('utf8');
  return { status, headers: all, body: isHead ? '' : text, pieceCount: pieceCount ?? 0 };
}

function typeOf(contentType: string): Readonly<Record<string, string>> {
  return contentType === '' ? {} : { 'content-type': contentType };
}

function headOf(method: string, target: string): RequestHead {
  const mark = target.indexOf('?');
  if (mark < 0) return emptyHead(method, target, '');
  return emptyHead(method, target.slice(0, mark), target.slice(mark + 1));
}

/**
 * Copies of the pieces: deliver() clears them after the call, as a transport would reuse its
 * buffer.
 */
function piecesOf(body: InjectedRequest['body']): Uint8Array[] {
  if (body === undefined) return [];
  const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  return pieces.map((piece) =>
    typeof piece === 'string' ? Buffer.from(piece) : Uint8Array.from(piece),
  );
}

function lengthHeader(
  body: InjectedRequest['body'],
  pieces: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  if (Array.isArray(body)) return { 'transfer-encoding': 'chunked' };
  return { 'content-length': String(pieces[0]?.byteLength ?? 0) };
}
