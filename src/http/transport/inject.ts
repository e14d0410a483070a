/**
 * Asks a service without a socket: the request goes through the same guards, wrapper and route as
 * one that a transport brings, and the answer comes back whole. What only a transport decides, as
 * how bytes are framed and how much of an answer is under way, is not there.
 */

import {
  addHeader,
  emptyHead,
  hasNoBody,
  type AnswerHead,
  type BodySink,
  type Exchange,
  type RequestHead,
} from './transport.js';

export interface InjectedRequest {
  /** GET, or POST where there is a body. */
  readonly method?: string;
  /** With the query string. */
  readonly target: string;
  /** Lower case names. A Host is that of this machine unless it is given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Has its length in the head. A list comes chunked, a piece in each turn of the event loop. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
  readonly peerAddress?: string;
  /** The client goes away. */
  readonly signal?: AbortSignal;
}

interface InjectedAnswer {
  readonly status: number;
  /** Lower case names; `connection: close` where the answer ends the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many pieces a streamed body came in; 0 for one that was not streamed. */
  readonly pieceCount: number;
}

/** What takes exchanges; see Service. */
interface Acceptor {
  accept(exchange: Exchange): void;
}

/** Rejects when the service cuts the connection, and with the signal's reason. */
export function inject(service: Acceptor, request: InjectedRequest): Promise<InjectedAnswer> {
  return new Promise((resolve, reject) => {
    const exchange = new InjectedExchange(request, { resolve, reject });
    service.accept(exchange);
    exchange.deliver();
  });
}

interface Asker {
  readonly resolve: (answer: InjectedAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

class InjectedExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #peerAddress: string;
  readonly #asker: Asker;
  readonly #pieces: Uint8Array[];
  #sink: BodySink | null = null;
  #isAlive = true;
  #isPaused = false;
  #isAwaited = false;
  /** Of an answer that is streamed. */
  #begun: AnswerHead | null = null;
  readonly #written: Uint8Array[] = [];

  constructor(request: InjectedRequest, asker: Asker) {
    const { target, body, headers = {}, signal, peerAddress = '127.0.0.1' } = request;
    this.#asker = asker;
    this.#peerAddress = peerAddress;
    this.#pieces = piecesOf(body);
    this.head = headOf(request.method ?? (body === undefined ? 'GET' : 'POST'), target);
    const length = lengthHeader(body, this.#pieces);
    for (const [name, value] of Object.entries({ host: 'localhost', ...length, ...headers })) {
      addHeader(this.head, name, value);
    }
    signal?.addEventListener('abort', () => {
      if (!this.#isAlive) return;
      this.#isAlive = false;
      this.onGone();
      asker.reject(signal.reason);
    });
  }

  peerAddress(): string {
    return this.#peerAddress;
  }

  receive(sink: BodySink): void {
    this.#sink = sink;
  }

  /** Brings the next piece of the body in the next turn, unless nobody wants it by then. */
  deliver(): void {
    if (this.#sink === null || this.#isAwaited) return;
    this.#isAwaited = true;
    setImmediate(() => {
      this.#isAwaited = false;
      const sink = this.#sink;
      if (sink === null || !this.#isAlive || this.#isPaused) return;
      const piece = this.#pieces.shift();
      if (piece === undefined) {
        this.#sink = null;
        sink.onEnd();
        return;
      }
      sink.onChunk(piece);
      // It was lent for the call.
      piece.fill(0);
      this.deliver();
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.deliver();
  }

  holdOpen(): void {
    // Nothing here grows old.
  }

  answer(head: AnswerHead, body: string | Uint8Array, { closes }: { readonly closes: boolean }) {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    const hasBody = !hasNoBody(head.status);
    const length: Readonly<Record<string, string>> = hasBody
      ? { 'content-length': String(Buffer.byteLength(body)) }
      : {};
    const closing: Readonly<Record<string, string>> = closes ? { connection: 'close' } : {};
    this.#settle(head, { ...length, ...closing }, Buffer.from(body));
  }

  begin(head: AnswerHead): void {
    if (this.#isAlive) this.#begun = head;
  }

  write(piece: Uint8Array): boolean {
    if (this.#isAlive) this.#written.push(piece);
    return true;
  }

  finish(): void {
    if (!this.#isAlive || this.#begun === null) return;
    this.#isAlive = false;
    this.#settle(this.#begun, {}, Buffer.concat(this.#written));
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#asker.reject(new Error('the connection was cut'));
  }

  #settle(head: AnswerHead, more: Readonly<Record<string, string>>, body: Buffer): void {
    const { status, contentType, headers = [] } = head;
    const all: Record<string, string> = { ...typeOf(contentType), ...more };
    for (const [name, value] of headers) {
      const before = all[name];
      all[name] = before === undefined ? value : `${before}, ${value}`;
    }
    this.#asker.resolve({
      status,
      headers: all,
      body: this.head.method === 'HEAD' ? '' : body.toString('utf8'),
      pieceCount: this.#written.length,
    });
  }
}

function typeOf(contentType: string): Readonly<Record<string, string>> {
  return contentType === '' ? {} : { 'content-type': contentType };
}

function headOf(method: string, target: string): RequestHead {
  const mark = target.indexOf('?');
  if (mark < 0) return emptyHead(method, target, '');
  return emptyHead(method, target.slice(0, mark), target.slice(mark + 1));
}

/** Copies: what a service did not copy is gone after the call, as it is with a transport. */
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

function nothing(): void {
  // Stands where no listener was set.
}
