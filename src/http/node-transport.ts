/** node:http as a transport, where no build of uWebSockets.js loads. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

import { AppError } from '../errors/app-error.js';
import { printListenAddress } from '../model/listen-address.js';

import {
  addHeader,
  emptyHead,
  type AnswerHead,
  type BodySink,
  type Exchange,
  type Listener,
  type ListenOptions,
  type RequestHead,
  type Transport,
} from './transport.js';

import type { TlsFiles } from './tls-files.js';
import type { SecureContextOptions } from 'node:tls';

const kHeaderSizeMax = 16_384;

const kHeaderTimeoutMs = 10_000;

/** `headerTimeoutMs`: the longest time from the connection to the end of the head. */
export function createNodeTransport(headerTimeoutMs = kHeaderTimeoutMs): Transport {
  return { name: 'node', listen: (options) => listen(options, headerTimeoutMs) };
}

/** What node calls as its refusal of a head: its code, and our status line. */
const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function listen(
  { address, accept, tls }: ListenOptions,
  headerTimeoutMs: number,
): Promise<Listener> {
  const options = {
    maxHeaderSize: kHeaderSizeMax,
    requestTimeout: 0,
    headersTimeout: headerTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headerTimeoutMs),
  };
  const secure =
    tls === null
      ? null
      : createTlsServer({ ...options, ...secureContext(tls), handshakeTimeout: headerTimeoutMs });
  const server = secure ?? createServer(options);
  server.on('request', (request, response) => {
    const exchange = new NodeExchange(request, response);
    try {
      accept(exchange);
    } catch {
      exchange.cut();
    }
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const status = refusals[error.code ?? ''] ?? '400 Bad Request';
    const body = JSON.stringify({
      error: 'the HTTP request is malformed or came too slowly',
      code: 'invalid_request',
      status: Number(status.slice(0, 3)),
    });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
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

function secureContext({ cert, key }: TlsFiles): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}

class NodeExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #isAlive = true;

  constructor(request: IncomingMessage, response: ServerResponse) {
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
    const seen = { host: false };
    for (let index = 0; index + 1 < raw.length; index += 2) {
      addHeader(this.head, (raw[index] ?? '').toLowerCase(), raw[index + 1] ?? '', seen);
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

  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (options.closes) this.#response.setHeader('connection', 'close');
    this.#response.setHeader('content-length', Buffer.byteLength(body));
    this.#writeHead(head);
    this.#response.end(body);
    // What still arrives is thrown away, or the connection would stall.
    this.#request.resume();
  }

  begin(head: AnswerHead): void {
    if (this.#isAlive) this.#writeHead(head);
  }

  write(piece: Uint8Array): boolean {
    return this.#isAlive ? this.#response.write(piece) : true;
  }

  finish(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#response.end();
    this.#request.resume();
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#request.socket.destroy();
  }

  #writeHead(head: AnswerHead): void {
    for (const [name, value] of head.headers ?? []) this.#response.setHeader(name, value);
    this.#response.writeHead(head.status, { 'content-type': head.contentType });
  }
}

function nothing(): void {
  // Stands where no listener was set.
}
