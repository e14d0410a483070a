/**
 * uWebSockets.js as a transport.
 *
 * Its rules shape this file. Request objects die when the handler returns. Response objects die on
 * abort and at the end of the answer; using a dead one throws. `onAborted` must be set before
 * anything asynchronous. Writes outside a handler go through `cork`.
 */

import { lookup } from 'node:dns/promises';

import { AppError } from '../../common/errors/app-error.js';
import { freeBytes } from '../../common/model/given-bytes.js';
import { printListenAddress, type ListenAddress } from '../../common/model/listen-address.js';

import { statusLine } from './status-line.js';
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
  type Serving,
  type Share,
  type SharingListener,
  type Transport,
} from './transport.js';
import { aheadBytesOf, UnreadAnswer, type UnreadAnswers } from './unread-answers.js';
import { refusalBody } from './wire/answer-head.js';
import { kHalfClosedMs } from './wire/connection.js';
import { expectationOf, kUnmetExpectation } from './wire/head-reader.js';

import type { TlsFiles } from './tls-files.js';
import type { UwsApp, UwsModule, UwsRequest, UwsResponse } from './uws-types.js';

/** uWebSockets.js reads this variable once, when it is loaded: set it before loadUwsTransport(). */
export const headerSizeVariable = 'UWS_HTTP_MAX_HEADERS_SIZE';
export const headerSizeMax = '16384';

/**
 * uWebSockets.js cuts a body, without an answer, if it brings less than 160 KiB in 8 to 12 s. The
 * minimum rate is not the transport's decision, so holdOpen() restarts that timeout in time.
 */
const kWindMs = 4_000;
/** The library copies a shorter answer if the socket does not take it at once. In bytes. */
const kCopiedMax = 16 * 1024;

export function createUwsTransport(uws: UwsModule): Transport {
  return {
    name: 'uws',
    listen: (options) => listen(uws, options),
    share: (serving) => share(uws, serving),
  };
}

async function listen(uws: UwsModule, options: ListenOptions): Promise<Listener> {
  const { address } = options;
  const apps = new Apps(uws, options);
  const acceptor = new UwsAcceptor(apps);
  return new Promise((resolve, reject) => {
    const flags = uws.LIBUS_LISTEN_EXCLUSIVE_PORT;
    acceptor.app.listen(address.host, address.port, flags, (socket) => {
      if (socket === false) {
        void whyNot(address).then(reject);
        return;
      }
      let isAccepting = true;
      resolve({
        address: { host: address.host, port: uws.us_socket_local_port(socket) },
        prepareTls: (renewed) => acceptor.prepare(renewed),
        shareWith: (others) => {
          acceptor.shareWith(others);
        },
        stopAccepting: () => {
          if (isAccepting) uws.us_listen_socket_close(socket);
          isAccepting = false;
          return Promise.resolve();
        },
        close: () => {
          isAccepting = false;
          acceptor.close();
        },
      });
    });
  });
}

/** Finds the cause of a failed listen, which the library does not report. */
async function whyNot(address: ListenAddress): Promise<AppError> {
  const place = `cannot listen on ${printListenAddress(address)}`;
  try {
    await lookup(address.host);
  } catch (cause) {
    return new AppError('listen_failed', `${place}: the name does not resolve`, { cause });
  }
  return new AppError('listen_failed', `${place}; is the port in use?`);
}

function share(uws: UwsModule, serving: Serving): SharingListener {
  const apps = new Apps(uws, serving);
  return {
    get address() {
      return apps.current.getDescriptor();
    },
    take: () => {
      throw new Error('connections are handed over by uWebSockets.js');
    },
    prepareTls: (renewed) => apps.prepare(renewed),
    close: () => {
      apps.close();
    },
  };
}

/**
 * The apps that serve the connections of one thread. An app's certificate is fixed. A renewal adds
 * a new app, and connections of the former app continue.
 */
class Apps {
  readonly uws: UwsModule;
  readonly serving: Serving;
  /** Includes former apps: their connections live until close(). */
  readonly #all: UwsApp[];

  constructor(uws: UwsModule, serving: Serving) {
    this.uws = uws;
    this.serving = serving;
    this.#all = [this.#make(serving.tls)];
  }

  #make(tls: TlsFiles | null): UwsApp {
    return serveWith(tls === null ? this.uws.App() : secureApp(this.uws, tls), this.serving);
  }

  get current(): UwsApp {
    const current = this.#all.at(-1);
    if (current === undefined) throw new Error('there is always one');
    return current;
  }

  prepare(tls: TlsFiles): () => void {
    const next = this.#make(tls);
    return () => {
      this.#all.push(next);
    };
  }

  close(): void {
    for (const app of this.#all) app.close();
  }
}

/**
 * The app that listens. Without TLS and without sharing it serves the connections itself. Otherwise
 * it passes each accepted connection, before its handshake, to several apps in turn. The port stays
 * open during changes.
 */
class UwsAcceptor {
  readonly app: UwsApp;
  readonly #apps: Apps;
  /** True with TLS: this app's own certificate is never used. */
  readonly #isApart: boolean;
  #children: readonly number[] = [];
  #others: readonly number[] = [];

  constructor(apps: Apps) {
    const { tls } = apps.serving;
    this.#apps = apps;
    this.#isApart = tls !== null;
    this.app = tls === null ? apps.current : secureApp(apps.uws, tls);
    this.#hand();
  }

  prepare(tls: TlsFiles): () => void {
    const change = this.#apps.prepare(tls);
    return () => {
      change();
      this.#hand();
    };
  }

  shareWith(others: readonly Share[]): void {
    this.#others = others.map(({ address }) => address);
    this.#hand();
  }

  /** Adds new children first, so that there is always at least one. */
  #hand(): void {
    const isAlone = !this.#isApart && this.#others.length === 0;
    const wanted = isAlone ? [] : [this.#apps.current.getDescriptor(), ...this.#others];
    const former = this.#children;
    for (const one of wanted) if (!former.includes(one)) this.app.addChildAppDescriptor(one);
    for (const one of former) if (!wanted.includes(one)) this.app.removeChildAppDescriptor(one);
    this.#children = wanted;
  }

  close(): void {
    if (this.#isApart) this.app.close();
    this.#apps.close();
  }
}

/** The library's TLS supports fewer kinds of keys than Node.js, which checked the files before. */
function secureApp(uws: UwsModule, { certFile, keyFile }: TlsFiles): UwsApp {
  try {
    return uws.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (cause) {
    const message = `uWebSockets.js cannot use tls_cert ${certFile} with tls_key ${keyFile}`;
    throw new AppError('invalid_configuration', message, { cause });
  }
}

function serveWith(app: UwsApp, { accept, connections, unread }: Serving): UwsApp {
  let isRefusing = false;
  app.filter((response, change) => {
    if (change > 0 && !connections.open()) {
      // The filter reports this close within the call.
      isRefusing = true;
      response.close();
      isRefusing = false;
    } else if (change < 0 && !isRefusing) {
      connections.close();
    }
  });
  return app.any('/*', (response, request) => {
    const exchange = new UwsExchange(response, request, unread);
    if (expectationOf(request.getHeader('expect')) === 'unmet') {
      const head = { status: 417, contentType: 'application/json' };
      exchange.answer(head, refusalBody(kUnmetExpectation), { closes: true });
      return;
    }
    // An exception from this callback would end the process.
    try {
      accept(exchange);
    } catch {
      exchange.cut();
    }
    exchange.accepted();
  });
}

class UwsExchange implements Exchange {
  readonly head: RequestHead;
  onGone: () => void = nothing;
  onWritable: () => void = nothing;
  readonly #response: UwsResponse;
  readonly #isHead: boolean;
  readonly #unread: UnreadAnswer;
  /** The rest of a complete answer that waits for its client. */
  #rest: Uint8Array | null = null;
  #isAlive = true;
  #isGone = false;
  #isPaused = false;
  #isReceiving = false;
  #isBegun = false;
  /** What the answer holds besides its written bytes while it waits. */
  #aheadBytes = 0;
  /** True while nothing is read until the answer. */
  #holdsInput = false;
  /** Ends the hold when the answer is late. */
  #holdTimer: NodeJS.Timeout | null = null;
  #isPromised = false;
  #woundAt = 0;

  constructor(response: UwsResponse, request: UwsRequest, unread: UnreadAnswers) {
    this.#response = response;
    this.#unread = new UnreadAnswer(unread, () => {
      // Do not close within a write to another socket.
      setImmediate(() => {
        if (this.#isAlive || this.#rest !== null) response.close();
      });
    });
    response.onAborted(() => {
      this.#dropHold();
      this.#unread.release(Infinity);
      this.#dropRest();
      if (!this.#isAlive) return;
      this.#isAlive = false;
      this.#isGone = true;
      this.onGone();
    });
    const method = request.getCaseSensitiveMethod();
    this.head = emptyHead(method, request.getUrl(), request.getQuery() ?? '');
    this.#isHead = method === 'HEAD';
    request.forEach((name, value) => {
      addHeader(this.head, name, value);
    });
  }

  peerAddress(): string {
    if (!this.#isAlive) return '';
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
  }

  accepted(): void {
    if (!this.#isReceiving) this.#holdInput();
  }

  receive(sink: BodySink): void {
    if (!this.#isAlive) return;
    this.#isReceiving = true;
    this.#response.onData((chunk, isLast) => {
      if (chunk.byteLength > 0) {
        this.#guard(() => {
          sink.onChunk(new Uint8Array(chunk));
        });
      }
      // uWebSockets.js cuts a connection that sends another request before the answer. After this
      // turn it is known if the same bytes held one; then nothing is stored.
      if (isLast) {
        this.#holdInput();
        setImmediate(() => {
          if (!this.#isGone) {
            this.#guard(() => {
              sink.onEnd();
            });
          }
        });
      }
    });
  }

  promiseAnswer(): void {
    this.#isPromised = true;
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer);
  }

  /**
   * The library closes if it reads the client's FIN or a next request before the answer. So it
   * reads neither until the answer. An answer that is not promised ends the hold when it is late:
   * then a client that left is noticed.
   */
  #holdInput(): void {
    if (!this.#isAlive || this.#isBegun) return;
    this.#isPaused = false;
    this.#holdsInput = true;
    if (!this.#isPromised) {
      this.#holdTimer = setTimeout(() => {
        if (!this.#isBegun) this.#releaseInput();
      }, kHalfClosedMs).unref();
    }
    this.#response.pause();
  }

  #releaseInput(): void {
    if (!this.#holdsInput) return;
    this.#dropHold();
    this.#response.resume();
  }

  #dropHold(): void {
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer);
    this.#holdsInput = false;
  }

  #guard(deliver: () => void): void {
    try {
      deliver();
    } catch {
      this.cut();
    }
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#isAlive && !this.#holdsInput) this.#response.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isAlive && !this.#holdsInput) this.#response.resume();
  }

  /** A pause followed by a resume restarts the timeout. A paused body has none. */
  holdOpen(): void {
    const now = performance.now();
    if (!this.#isAlive || this.#isPaused || now - this.#woundAt < kWindMs) return;
    this.#woundAt = now;
    this.#response.pause();
    if (!this.#holdsInput) this.#response.resume();
  }

  answer(head: AnswerHead, body: string | Uint8Array, options: { readonly closes: boolean }): void {
    if (!this.#isAlive) return;
    this.#releaseInput();
    this.#isAlive = false;
    const response = this.#response;
    const bytes = typeof body === 'string' && body.length > kCopiedMax ? Buffer.from(body) : body;
    response.cork(() => {
      writeHead(response, head);
      if (hasNoBody(head.status) && !options.closes) {
        response.endWithoutBody();
        return;
      }
      if (!this.#isHead || options.closes) {
        if (typeof bytes === 'string' || bytes.byteLength <= kCopiedMax || options.closes) {
          response.end(this.#isHead ? '' : bytes, options.closes);
        } else {
          this.#endBySteps(bytes);
        }
        return;
      }
      // With a length argument, endWithoutBody would wait for the body and block the connection.
      response.writeHeader('content-length', String(Buffer.byteLength(body)));
      response.endWithoutBody();
    });
    if (typeof body !== 'string' && this.#rest === null) freeBytes(body);
  }

  /**
   * Sends the answer in steps. The rest that the socket does not take stays here, where it is
   * counted.
   */
  #endBySteps(body: Uint8Array): void {
    const response = this.#response;
    const size = body.byteLength;
    const [, isOut] = response.tryEnd(body, size);
    if (isOut) return;
    this.#rest = body;
    response.onWritable((offset) => {
      const [isRoom, isDone] = response.tryEnd(body.subarray(offset), size);
      if (isDone) {
        this.#unread.release(Infinity);
        this.#dropRest();
      }
      return isRoom;
    });
    this.#unread.hold(size);
  }

  #dropRest(): void {
    if (this.#rest !== null) freeBytes(this.#rest);
    this.#rest = null;
  }

  begin(head: AnswerHead): void {
    if (!this.#isAlive) return;
    this.#isBegun = true;
    this.#aheadBytes = aheadBytesOf(head.headers);
    this.#response.onWritable(() => {
      this.#unread.release(Infinity);
      this.onWritable();
      return true;
    });
    this.#response.cork(() => {
      writeHead(this.#response, head);
    });
  }

  write(piece: Uint8Array): boolean {
    if (!this.#isAlive) return true;
    let isRoom = true;
    this.#response.cork(() => {
      isRoom = this.#response.write(piece);
      if (isRoom) return;
      this.#unread.hold(piece.byteLength + this.#aheadBytes);
      // After a partial write the library reads in any case, and waits for room.
      this.#dropHold();
    });
    freeBytes(piece);
    return isRoom;
  }

  finish(): void {
    if (!this.#isAlive) return;
    this.#releaseInput();
    this.#isAlive = false;
    this.#response.cork(() => {
      if (this.#isHead) this.#response.endWithoutBody();
      else this.#response.end();
    });
    this.#unread.release(Infinity);
  }

  cut(): void {
    if (!this.#isAlive) return;
    this.#dropHold();
    this.#isAlive = false;
    this.#response.close();
  }
}

function writeHead(response: UwsResponse, head: AnswerHead): void {
  response.writeStatus(statusLine(head.status));
  if (head.contentType !== '') response.writeHeader('content-type', head.contentType);
  for (const [name, value] of head.headers ?? []) response.writeHeader(name, value);
}

function nothing(): void {
  // Default for a listener that is not set.
}
