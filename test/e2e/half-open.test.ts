/**
 * Clients that start a request, never finish it, and never close: the server must release
 * everything they hold. Each uses a real socket, on both listeners.
 */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

import { assert } from 'chai';

import { ask, startConfigured, transportNames } from '../support/admin-server.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { killServers, removeDirectory, type Server } from '../support/server.js';

const certificate = makeCertificate('half');
const kClients = 40;
// On each listener. uSockets defers connections that bring parts of handshakes, beyond five in a
// turn of the loop. A deferred connection whose time is over gets it again in 16 minutes.
const kDrippingClients = 2;

type Connect = (port: number) => net.Socket;
interface Kind {
  readonly connect: Connect;
  readonly count: number;
}

/** Stays open after the server has closed its side; `everyMs`: sends a byte at a time. */
function rawClient(bytes: Uint8Array, everyMs = 0): Connect {
  return (port) => {
    const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.resume();
    if (everyMs === 0) {
      socket.write(bytes);
      return socket;
    }
    let at = 0;
    const timer = setInterval(() => {
      socket.write(bytes.subarray(at, (at += 1)));
      if (at >= bytes.length) clearInterval(timer);
    }, everyMs);
    socket.on('close', () => {
      clearInterval(timer);
    });
    return socket;
  };
}

/** Sends `text` when the handshake is done. */
function tlsClient(text: string): Connect {
  return (port) => {
    const options = { host: '127.0.0.1', port, ca: certificate.cert, allowHalfOpen: true };
    const socket = tls.connect(options, () => {
      if (text !== '') socket.write(text);
    });
    socket.on('error', () => undefined);
    socket.resume();
    return socket;
  };
}

/** The first bytes of a client that speaks TLS. */
async function clientHello(): Promise<Buffer> {
  const listener = net.createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as net.AddressInfo;
  const received = new Promise<Buffer>((resolve) => {
    listener.once('connection', (socket) => {
      socket.once('data', (bytes) => {
        resolve(bytes);
        socket.destroy();
        listener.close();
      });
    });
  });
  tls.connect({ host: '127.0.0.1', port }).on('error', () => undefined);
  return received;
}

/** No request, half of one, and requests that are refused below the routes. */
const halfRequests: readonly string[] = [
  '',
  'GET /status HTT',
  'NONSENSE\0\r\n\r\n',
  'GET /status HTTP/1.1\r\n\r\n',
  `GET /status HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
  'CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
];

const many = (connect: Connect): Kind => ({ connect, count: kClients });

const plainClients = (): readonly Kind[] =>
  halfRequests.map((text) => many(rawClient(Buffer.from(text))));

async function secureClients(): Promise<readonly Kind[]> {
  const hello = await clientHello();
  return [
    many(rawClient(Buffer.alloc(0))),
    many(rawClient(hello.subarray(0, 100))),
    many(rawClient(hello)),
    { connect: rawClient(hello, 200), count: kDrippingClients },
    many(rawClient(Buffer.from('GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n'))),
    ...halfRequests.map((text) => many(tlsClient(text))),
  ];
}

async function openedBy(port: number, { connect, count }: Kind): Promise<readonly net.Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port));
  await Promise.all(
    sockets.map(async (socket) => {
      if (!socket.connecting) return;
      // Waits for the TCP connection below TLS, not for the handshake.
      await new Promise((resolve) => socket.once('connect', resolve));
    }),
  );
  return sockets;
}

for (const transport of transportNames) {
  for (const isSecure of [false, true]) {
    describe(`a client that never ends over ${transport}${isSecure ? ', TLS' : ''}`, function () {
      this.timeout(120_000);
      let server: Server;
      let dataDir: string;
      before(async () => {
        const times = 'header_timeout_ms = 500\nbody_timeout_ms = 500\n';
        const { toml } = certificateFiles(certificate);
        ({ server, dataDir } = await startConfigured(transport, times + (isSecure ? toml : '')));
      });
      after(async () => {
        await killServers();
        removeDirectory(dataDir);
      });

      it('loses its descriptor at any stage of a request, on both listeners', async () => {
        const clients = isSecure ? await secureClients() : plainClients();
        // Excludes other descriptors, which come and go, like those of the log.
        const socketsNow = (): readonly string[] =>
          server.descriptors().filter((one) => one.startsWith('socket:'));
        const before = socketsNow();
        const newSockets = (): readonly string[] =>
          socketsNow().filter((one) => !before.includes(one));
        const sockets: net.Socket[] = [];
        let most = 0;
        for (const kind of clients) {
          for (const port of [server.port, server.adminPort ?? 0]) {
            sockets.push(...(await openedBy(port, kind)));
            most = Math.max(most, newSockets().length);
          }
        }
        assert.isAbove(most, 0);
        // uWebSockets.js has its own timeouts: 10 s, checked every 4 s. The rest is slack for a
        // busy machine; a leak lasts longer than this.
        const deadline = performance.now() + (transport === 'uws' ? 80_000 : 8_000);
        let held: readonly string[] = ['?'];
        while (held.length > 0 && performance.now() < deadline) {
          await sleep(100);
          held = newSockets();
        }
        assert.deepEqual(held, [], `of ${String(sockets.length)} are still held`);
        for (const socket of sockets) socket.destroy();
        const trusting = isSecure ? { ca: certificate.cert } : {};
        assert.strictEqual((await ask(server.port, '/healthz', trusting)).status, 200);
      });
    });
  }

  describe(`a TLS renegotiation over ${transport}`, function () {
    this.timeout(60_000);
    afterEach(killServers);

    it('is refused on both listeners', async () => {
      const { toml } = certificateFiles(certificate);
      const { server } = await startConfigured(transport, toml);
      const renegotiated = async (port: number | null): Promise<boolean> =>
        new Promise((resolve, reject) => {
          const options = { host: '127.0.0.1', port: port ?? 0, ca: certificate.cert };
          // TLS 1.3 has no renegotiation.
          const socket = tls.connect({ ...options, maxVersion: 'TLSv1.2' }, () => {
            socket.renegotiate({}, (error) => {
              resolve(error === null);
            });
          });
          socket.on('error', () => {
            resolve(false);
          });
          socket.on('close', () => {
            resolve(false);
          });
          socket.setTimeout(10_000, () => {
            reject(new Error('the server neither refuses nor closes'));
          });
          socket.resume();
        });
      assert.isFalse(await renegotiated(server.port));
      assert.isFalse(await renegotiated(server.adminPort));
      const { status } = await ask(server.port, '/healthz', { ca: certificate.cert });
      assert.strictEqual(status, 200);
    });
  });
}
