/** node:http as a transport, where no build of uWebSockets.js loads. */

import { constants } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

import { AppError } from '../../errors/app-error.js';
import { freeBytes } from '../../model/given-bytes.js';
import { printListenAddress } from '../../model/listen-address.js';

import {
  addHeader,
  emptyHead,
  hasNoBody,
  type AnswerHead,
  type BodySink,
  type Exchange,
  type Listener,
  type ListenOptions,
  type RequestHead,
  type Transport,
} from './transport.js';

import type { TlsFiles } from './tls-files.js';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';

const kHeaderSizeMax = 16_384;
/** Node would drop what is beyond its count in silence, and with it the second of two lengths. */
const kHeaderCountMax = 100;

const kHeaderTimeoutMs = 10_000;

/** Longest handshake of TLS: a few packets each way, and a signature. */
const kHandshakeTimeoutMs = 5_000;

/** A client that was refused has so long to take the refusal and to close its side. */
const kLingerMs = 1_000;

/** A client has so long to send the rest of its body and to take the answer, once that is given. */
const kRestTimeoutMs = 30_000;

interface NodeTimes {
  /** The longest time from the connection to the end of the head. */
  readonly headerTimeoutMs?: number;
  readonly restTimeoutMs?: number;
}

export function createNodeTransport({
  headerTimeoutMs = kHeaderTimeoutMs,
  restTimeoutMs = kRestTimeoutMs,
}: NodeTimes = {}): Transport {
  const times = { headerTimeoutMs, restTimeoutMs };
  return { name: 'node', listen: (options) => listen(options, times), share: null };
}

const kMalformed = '400 Bad Request';
const kTooLarge = '431 Request Header Fields Too Large';

/**
 * Our status line for a code with which node refuses a head. Null for anything else, above all for
 * a handshake of TLS that failed or never came to its end: there is nobody to answer.
 */
function refusalFor(code = ''): string | null {
  if (code === 'HPE_HEADER_OVERFLOW') return kTooLarge;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return code.startsWith('HPE_') ? kMalformed : null;
}

function listen(
  { address, accept, connections, tls }: ListenOptions,
  { headerTimeoutMs, restTimeoutMs }: Required<NodeTimes>,
): Promise<Listener> {
  const options = {
    maxHeaderSize: kHeaderSizeMax,
    requestTimeout: 0,
    // Node would answer without a body; we check it below.
    requireHostHeader: false,
    headersTimeout: headerTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headerTimeoutMs),
  };
  const secure =
    tls === null
      ? null
      : createTlsServer({
          ...options,
          ...secureContext(tls),
          handshakeTimeout: Math.min(kHandshakeTimeoutMs, headerTimeoutMs),
        });
  const server = secure ?? createServer(options);
  server.maxHeadersCount = kHeaderCountMax + 1;
  count(server, connections);
  attach(server, accept, restTimeoutMs);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const place = printListenAddress(address);
      reject(
        new AppError('listen_failed', `cannot listen on ${place}: ${cause.message}`, { cause }),
      );
    });
    server.listen({ host: address.host, port: address.port, exclusive: true }, () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
      resolve({
        address: { host: address.host, port },
        prepareTls: (renewed) => () => {
          secure?.setSecureContext(secureContext(renewed));
        },
        shareWith: () => {
          throw new Error('connections stay on the thread that accepts them');
        },
        stopAccepting: () => {
          server.close();
          server.closeIdleConnections();
        },
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

/** Sockets as they are accepted, below TLS. */
function count(server: Server, connections: ListenOptions['connections']): void {
  server.on('connection', (socket: Duplex) => {
    if (!connections.open()) {
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      connections.close();
    });
  });
}

function attach(server: Server, accept: ListenOptions['accept'], restTimeoutMs: number): void {
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.rawHeaders.length > 2 * kHeaderCountMax) {
      refuse(request.socket, kTooLarge);
      return;
    }
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      refuse(request.socket, kMalformed);
      return;
    }
    const exchange = new NodeExchange(request, response, restTimeoutMs);
    try {
      accept(exchange);
    } catch {
      exchange.cut();
    }
  };
  server.on('request', serve);
  // An expectation that nobody knows is ignored, as uWebSockets.js does.
  server.on('checkExpectation', serve);
  // Without a listener, node closes the connection without an answer.
  server.on('connect', (_request, socket) => {
    refuse(socket, kMalformed);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = refusalFor(error.code);
    if (status === null || !socket.writable) socket.destroy();
    else refuse(socket, status);
  });
}

/**
 * Answers below HTTP's own machinery, and ends the connection. Its end alone would leave the socket
 * open until the client closes too.
 */
function refuse(socket: Duplex, status: string): void {
  const body = JSON.stringify({
    error: 'the HTTP request is malformed, too large, or came too slowly',
    code: 'invalid_request',
    status: Number(status.slice(0, 3)),
  });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  setTimeout(() => {
    socket.destroy();
  }, kLingerMs).unref();
}

function secureContext({ cert, key }: TlsFiles): SecureContextOptions {
  // A client that asks for another handshake makes the server sign again and again.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion: 'TLSv1.2', secureOptions };
}

class NodeExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #restTimeoutMs: number;
  #isAlive = true;

  constructor(request: IncomingMessage, response: ServerResponse, restTimeoutMs: number) {
    this.#restTimeoutMs = restTimeoutMs;
    this.#request = request;
    this.#response = response;
    response.on('close', () => {
      if (!this.#isAlive) return;
      this.#isAlive = false;
      this.onGone();
    });
    request.on('error', nothing);
    response.on('error', nothing);
    response.on('drain', () => {
      if (this.#isAlive) this.onWritable();
    });
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    this.head = emptyHead(request.method ?? '', path, mark < 0 ? '' : url.slice(mark + 1));
    const raw = request.rawHeaders;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      addHeader(this.head, (raw[index] ?? '').toLowerCase(), raw[index + 1] ?? '');
    }
  }

  peerAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  receive(sink: BodySink): void {
    const guarded = (deliver: () => void): void => {
      if (!this.#isAlive) return;
      try {
        deliver();
      } catch {
        this.cut();
      }
    };
    this.#request.on('data', (chunk: Buffer) => {
      guarded(() => {
        sink.onChunk(chunk);
      });
    });
    this.#request.on('end', () => {
      guarded(() => {
        sink.onEnd();
      });
    });
  }

  pause(): void {
    if (this.#isAlive) this.#request.pause();
  }

  resume(): void {
    if (this.#isAlive) this.#request.resume();
  }

  holdOpen(): void {
    // Node has no clock for bodies, as it is set up here.
  }

  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (options.closes) this.#response.setHeader('connection', 'close');
    if (!hasNoBody(head.status)) {
      this.#response.setHeader('content-length', Buffer.byteLength(body));
    }
    this.#writeHead(head);
    if (typeof body !== 'string') {
      this.#response.once('finish', () => {
        freeBytes(body);
      });
    }
    this.#response.end(body);
    this.#leave();
  }

  begin(head: AnswerHead): void {
    if (this.#isAlive) this.#writeHead(head);
  }

  write(piece: Uint8Array): boolean {
    if (!this.#isAlive) return true;
    // Node keeps a piece until the socket has all of it.
    return this.#response.write(piece, () => {
      freeBytes(piece);
    });
  }

  finish(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#response.end();
    this.#leave();
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#request.socket.destroy();
  }

  /** What still arrives is thrown away, or the connection would stall; but not without end. */
  #leave(): void {
    const [request, response] = [this.#request, this.#response];
    request.resume();
    const isDone = (): boolean => request.complete && response.writableFinished;
    if (isDone()) return;
    setTimeout(() => {
      if (!isDone()) request.socket.destroy();
    }, this.#restTimeoutMs).unref();
  }

  #writeHead(head: AnswerHead): void {
    for (const [name, value] of head.headers ?? []) this.#response.appendHeader(name, value);
    if (head.contentType !== '') this.#response.setHeader('content-type', head.contentType);
    this.#response.writeHead(head.status);
  }
}

function nothing(): void {
  // Stands where no listener was set.
}
