/** The end of a connection over `node`, for clients that read their last answer slowly. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { expect } from 'chai';

import { createNodeTransport } from '../../src/http/transport/node-transport.js';
import { Linger, Lingering } from '../../src/http/transport/wire/linger.js';
import { socketCalls } from '../../src/storage/native-storage.js';
import { makeCertificate } from '../support/certificate.js';
import { anyUnread, pause } from '../support/http-server.js';

import type { Listener } from '../../src/http/transport/transport.js';

/** More than a client's system receives for a client that does not read. */
const kAnswerSize = 1024 * 1024;
const kRestTimeoutMs = 2_500;
const certificate = makeCertificate('linger');

interface Answering extends Listener {
  readonly openCount: () => number;
}

async function startAnswering(isSecure: boolean): Promise<Answering> {
  const { cert, key } = certificate;
  let openCount = 0;
  const transport = createNodeTransport({
    restTimeoutMs: kRestTimeoutMs,
    sockets: socketCalls(),
  });
  const listener = await transport.listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: isSecure
      ? { certFile: '', keyFile: '', cert: Buffer.from(cert), key: Buffer.from(key) }
      : null,
    connections: {
      open: () => {
        openCount += 1;
        return true;
      },
      close: () => (openCount -= 1),
    },
    unread: anyUnread(),
    accept: (exchange) => {
      const head = { status: 200, contentType: 'text/plain' };
      exchange.answer(head, Buffer.alloc(kAnswerSize, 'x'), { closes: true });
    },
  });
  return { ...listener, openCount: () => openCount };
}

/** Sends a request, and reads nothing. */
async function openClient(port: number, isSecure: boolean): Promise<Socket> {
  const options = { host: '127.0.0.1', port, allowHalfOpen: true, highWaterMark: 1024 };
  const socket = isSecure ? connectTls({ ...options, ca: certificate.cert }) : connect(options);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once(isSecure ? 'secureConnect' : 'connect', resolve));
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

/** The number of bytes until the server closes. */
async function readAll(socket: Socket): Promise<number> {
  let size = 0;
  socket.on('data', (bytes: Buffer) => (size += bytes.length));
  await new Promise((resolve) => socket.on('end', resolve).on('close', resolve));
  return size;
}

for (const isSecure of [false, true]) {
  describe(`the last answer of a connection${isSecure ? ', TLS' : ''}`, function () {
    this.timeout(20_000);
    let listener: Answering;
    before(async () => {
      listener = await startAnswering(isSecure);
    });
    after(() => {
      listener.close();
    });

    it('arrives at a client that pauses, and sends meanwhile', async () => {
      const socket = await openClient(listener.address.port, isSecure);
      for (let count = 0; count < 4; count += 1) {
        await pause(500);
        socket.write('x');
      }
      expect(await readAll(socket)).to.be.above(kAnswerSize);
      socket.destroy();
    });

    it('is given up if the client reads nothing', async () => {
      const socket = await openClient(listener.address.port, isSecure);
      await pause(1_500);
      expect(listener.openCount()).to.equal(1);
      await pause(kRestTimeoutMs + 2_500);
      expect(listener.openCount()).to.equal(0);
      socket.destroy();
    });
  });
}

describe('a connection that is closed for sending', () => {
  it('goes on while its client confirms bytes, and one period after the last', () => {
    const linger = new Linger(1_000);
    expect(linger.goesOn(3_000, 0)).to.equal(true);
    expect(linger.goesOn(3_000, 900)).to.equal(true);
    expect(linger.goesOn(2_000, 950)).to.equal(true);
    expect(linger.goesOn(2_000, 1_900)).to.equal(true);
    expect(linger.goesOn(0, 1_940)).to.equal(true);
    expect(linger.goesOn(0, 1_941)).to.equal(false);
  });

  it('ends if its client confirms nothing, or too slowly', () => {
    const silent = new Linger(1_000);
    expect(silent.goesOn(3_000, 0)).to.equal(true);
    expect(silent.goesOn(3_000, 1_000)).to.equal(false);
    const slow = new Linger(1_000);
    for (let now = 0; now < 4_000; now += 100) {
      expect(slow.goesOn(3_000 - now / 100, now), String(now)).to.equal(true);
    }
    expect(slow.goesOn(2_900, 4_000)).to.equal(false);
  });

  it('ends if its client sends too much', () => {
    const linger = new Linger(1_000);
    expect(linger.goesOn(1, 0)).to.equal(true);
    expect(linger.discard(64 * 1024 * 1024)).to.equal(true);
    expect(linger.discard(1)).to.equal(false);
  });

  it('is cut if 256 newer ones wait', () => {
    const all = new Lingering();
    const cut: number[] = [];
    for (let at = 0; at < 258; at += 1) all.add({ destroy: () => cut.push(at) });
    expect(cut).to.deep.equal([0, 1]);
  });
});
