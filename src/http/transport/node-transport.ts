/** HTTP/1.1 over the sockets of Node.js, and over its TLS if there is a certificate. */

import { constants } from 'node:crypto';
import {
  createServer,
  Socket,
  type ConnectOpts,
  type ListenOptions as NetListenOptions,
} from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type Server as TlsServer,
} from 'node:tls';

import { AppError } from '../../common/errors/app-error.js';
import { printListenAddress } from '../../common/model/listen-address.js';

import { acceptWhatWaits, readWhatCame } from './turns-to-read.js';
import { WireConnection, type ConnectionTimes } from './wire/connection.js';
import { Lingering } from './wire/linger.js';

import type {
  Listener,
  ListenOptions,
  Serving,
  Share,
  SharingListener,
  Transport,
} from './transport.js';
import type { TlsFiles } from './tls-files.js';
import type { SendNow } from './wire/outlet.js';

const kHeaderTimeoutMs = 10_000;
const kRestTimeoutMs = 30_000;
/** Interval of the timeout checks of connections. */
const kSweepMs = 500;

/** Maximum bytes of one read; all connections of a thread share the buffer. */
const kReceived = Buffer.allocUnsafeSlow(512 * 1024);

const kSocketOptions = { allowHalfOpen: true, noDelay: true };
/** Options of a socket that is made from a descriptor. */
const kAdopted = { allowHalfOpen: true, readable: true, writable: true };

/** Longest TLS handshake: a few packets each way, and a signature. */
const kHandshakeTimeoutMs = 5_000;

interface NodeOptions extends Partial<ConnectionTimes> {
  /** If absent, this thread serves all connections through streams. */
  readonly sockets?: SocketCalls;
}

/** The addon's functions on sockets, by descriptor. */
interface SocketCalls {
  /** Duplicates a socket's descriptor, for another thread. */
  readonly copyDescriptor: (descriptor: number) => number;
  readonly sendNow: (descriptor: number, ...pieces: Parameters<SendNow>) => number;
  /** The sent bytes that the client's system has not confirmed. */
  readonly unconfirmedBytes: (descriptor: number) => number;
}

export function createNodeTransport({
  headerTimeoutMs = kHeaderTimeoutMs,
  restTimeoutMs = kRestTimeoutMs,
  sockets,
}: NodeOptions = {}): Transport {
  const times = { headerTimeoutMs, restTimeoutMs };
  return {
    name: 'node',
    listen: (options) => listen(options, times, sockets ?? null),
    share: (serving) => share(serving, times, sockets ?? null),
  };
}

function listen(
  { address, ...serving }: ListenOptions,
  times: ConnectionTimes,
  sockets: SocketCalls | null,
): Promise<Listener> {
  const { host, port } = address;
  const place = { ...{ host, port, exclusive: true }, name: printListenAddress(address) };
  return bind(place, new Served(serving, times, sockets), sockets);
}

/**
 * Serves connections to a Unix socket. Creates its file; the caller removes it. Rejects with
 * `listen_failed`.
 */
export function listenAtPath(path: string, serving: Serving): Promise<Listener> {
  const times = { headerTimeoutMs: kHeaderTimeoutMs, restTimeoutMs: kRestTimeoutMs };
  return bind({ path, name: path }, new Served(serving, times, null), null);
}

interface BoundPlace extends NetListenOptions {
  /** The name in the error message. */
  readonly name: string;
}

function bind(
  { name, ...place }: BoundPlace,
  served: Served,
  sockets: SocketCalls | null,
): Promise<Listener> {
  const turns = new HandOver(served, sockets);
  let acceptedCount = 0;
  const server = createServer(kSocketOptions, (socket) => {
    acceptedCount += 1;
    turns.give(socket);
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new AppError('listen_failed', `cannot listen on ${name}: ${cause.message}`, { cause }),
      );
    });
    server.listen(place, () => {
      const bound = server.address();
      const { host = '', port = 0 } = place;
      resolve({
        address: { host, port: typeof bound === 'object' && bound !== null ? bound.port : port },
        prepareTls: (renewed) => served.prepareTls(renewed),
        shareWith: (others) => {
          turns.others = others;
        },
        stopAccepting: async () => {
          await acceptWhatWaits(() => acceptedCount);
          server.close();
          await readWhatCame();
          served.stop();
        },
        close: () => {
          server.close();
          served.close();
        },
      });
    });
  });
}

function share(
  serving: Serving,
  times: ConnectionTimes,
  sockets: SocketCalls | null,
): SharingListener {
  const served = new Served(serving, times, sockets);
  return {
    address: 0,
    take: (fd) => {
      served.adopt(fd);
    },
    prepareTls: (renewed) => served.prepareTls(renewed),
    close: () => {
      served.close();
    },
  };
}

/** Passes accepted connections to the threads in turn. */
class HandOver {
  others: readonly Share[] = [];
  readonly #own: Served;
  readonly #sockets: SocketCalls | null;
  #turn = 0;

  constructor(own: Served, sockets: SocketCalls | null) {
    this.#own = own;
    this.#sockets = sockets;
  }

  give(socket: Socket): void {
    this.#turn = (this.#turn + 1) % (this.others.length + 1);
    const other = this.others[this.#turn - 1];
    const copy = other !== undefined || this.#own.isPlain ? this.#copyOf(socket) : null;
    if (copy === null) {
      this.#own.take(socket);
      return;
    }
    // Nothing was read from this socket, and the copy stays open.
    socket.destroy();
    if (other === undefined) this.#own.adopt(copy);
    else other.take(copy);
  }

  /** Null if no copy is available; then this thread serves the connection. */
  #copyOf(socket: Socket): number | null {
    const descriptor = descriptorOf(socket);
    if (descriptor === null || this.#sockets === null) return null;
    try {
      return this.#sockets.copyDescriptor(descriptor);
    } catch {
      // No descriptor is left. The connection gate handles this case.
      return null;
    }
  }
}

/** An undocumented property of Node.js servers and sockets. */
function descriptorOf(socket: Socket): number | null {
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: unknown } | null };
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : null;
}

/** The connections of one listener. */
class Served {
  readonly #times: ConnectionTimes;
  readonly #serving: Serving;
  readonly #calls: SocketCalls | null;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<WireConnection>();
  readonly #lingering = new Lingering();
  readonly #sweep: NodeJS.Timeout;
  /** A server that never listens. It only runs the handshakes of accepted sockets. */
  readonly #secure: TlsServer | null;

  constructor(serving: Serving, times: ConnectionTimes, calls: SocketCalls | null) {
    this.#times = times;
    this.#serving = serving;
    this.#calls = calls;
    this.#secure = serving.tls === null ? null : this.#secureServer(serving.tls);
    const everyMs = Math.min(kSweepMs, times.headerTimeoutMs);
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const connection of this.#connections) connection.checkTime(now);
    }, everyMs);
    this.#sweep.unref();
  }

  #secureServer(tls: TlsFiles): TlsServer {
    const handshakeTimeout = Math.min(kHandshakeTimeoutMs, this.#times.headerTimeoutMs);
    const options = { ...kSocketOptions, ALPNProtocols: ['http/1.1'], handshakeTimeout };
    const server = createTlsServer({ ...options, ...secureContext(tls) }, (socket) => {
      this.#serveStream(socket);
    });
    server.on('tlsClientError', (_error, socket) => {
      socket.destroy();
    });
    return server;
  }

  /** Takes an accepted socket, before TLS. */
  take(socket: Socket): void {
    if (!this.#count(socket)) return;
    if (this.#secure !== null) this.#secure.emit('connection', socket);
    else this.#serveStream(socket);
  }

  /** False if there is no room for the connection. */
  #count(socket: Socket): boolean {
    const { connections } = this.#serving;
    // Without a listener, an error would end the process. The close event follows.
    socket.on('error', () => undefined);
    if (!connections.open()) {
      socket.destroy();
      return false;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      connections.close();
    });
    return true;
  }

  get isPlain(): boolean {
    return this.#secure === null;
  }

  /**
   * Takes an accepted connection by its descriptor. Without TLS all connections read into one
   * buffer. Only sockets made from a descriptor can do that; a stream would allocate 64 KiB per
   * read.
   */
  adopt(fd: number): void {
    const options = { fd, ...kAdopted };
    if (!this.isPlain) {
      const socket = new Socket(options);
      this.take(socket);
      return;
    }
    let connection: WireConnection | null = null;
    const callback = (size: number): boolean => {
      connection?.receive(kReceived.subarray(0, size));
      return true;
    };
    const reading: ConnectOpts = { onread: { buffer: kReceived, callback } };
    const socket = new Socket({ ...options, ...reading });
    if (!this.#count(socket)) return;
    const calls = this.#calls;
    const sendNow: SendNow | null =
      calls === null ? null : (text, body) => calls.sendNow(fd, text, body);
    connection = this.#serve(socket, sendNow);
  }

  #serveStream(socket: Socket): void {
    if (socket.destroyed) return;
    const connection = this.#serve(socket, null);
    socket.on('data', (bytes: Buffer) => {
      connection.receive(bytes);
    });
  }

  #serve(socket: Socket, sendNow: SendNow | null): WireConnection {
    const host = {
      times: this.#times,
      lingering: this.#lingering,
      unconfirmedBytes: () => {
        const descriptor = descriptorOf(socket);
        return descriptor === null ? 0 : (this.#calls?.unconfirmedBytes(descriptor) ?? 0);
      },
      unread: this.#serving.unread,
      accept: this.#serving.accept,
      ended: () => {
        this.#connections.delete(connection);
      },
    };
    const connection = new WireConnection(socket, host, sendNow);
    this.#connections.add(connection);
    return connection;
  }

  prepareTls(tls: TlsFiles): () => void {
    return () => {
      this.#secure?.setSecureContext(secureContext(tls));
    };
  }

  /** Accepts no further requests. */
  stop(): void {
    for (const connection of this.#connections) connection.stop();
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const socket of this.#sockets) socket.destroy();
  }
}

function secureContext({ cert, key }: TlsFiles): SecureContextOptions {
  // Each renegotiation would make the server sign again.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion: 'TLSv1.2', secureOptions };
}
