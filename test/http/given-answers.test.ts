import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';
import path from 'node:path';

import { assert } from 'chai';

import { loadTlsFiles } from '../../src/http/transport/tls-files.js';
import { UnreadAnswers } from '../../src/http/transport/unread-answers.js';
import { giveBytes } from '../../src/common/model/given-bytes.js';
import { certificateFiles, makeCertificate } from '../support/certificate.js';
import { anyConnections, pause, transports } from '../support/http-server.js';

import type { Exchange, Listener } from '../../src/http/transport/transport.js';

/** More than sockets buffer while the client does not read. */
const kPieceCount = 64;
const kPieceSize = 256 * 1024;

const head = { status: 200, contentType: 'text/plain' };
const plainOrSecure = [false, true];

for (const transport of transports) {
  for (const isSecure of plainOrSecure) {
    describe(`borrowed answers over ${transport.name}${isSecure ? ' with TLS' : ''}`, () => {
      const certificate = makeCertificate('localhost');
      let listener: Listener;
      let freedCount: number;
      let mostUnread: number;
      const unread = new UnreadAnswers((bytes) => {
        mostUnread = Math.max(mostUnread, bytes);
        return Infinity;
      });

      /** Memory that is freed too early arrives as zeros, or not at all. */
      const given = (bytes: Uint8Array<ArrayBuffer>): Uint8Array =>
        giveBytes(bytes, (buffer) => {
          new Uint8Array(buffer).fill(0);
          structuredClone(buffer, { transfer: [buffer] });
          freedCount += 1;
        });

      const stream = async (exchange: Exchange): Promise<void> => {
        let wake: () => void = () => undefined;
        exchange.onWritable = () => {
          wake();
        };
        exchange.begin(head);
        for (let at = 0; at < kPieceCount; at += 1) {
          const writable = new Promise<void>((resolve) => (wake = resolve));
          if (!exchange.write(given(new Uint8Array(kPieceSize).fill(at + 1)))) await writable;
        }
        exchange.finish();
      };

      before(async () => {
        const { folder } = certificateFiles(certificate);
        const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
        listener = await transport.listen({
          address: { host: '127.0.0.1', port: 0 },
          tls: isSecure ? loadTlsFiles(certFile, keyFile) : null,
          connections: anyConnections,
          unread,
          accept: (exchange) => {
            if (exchange.head.path === '/stream') void stream(exchange);
            else {
              const body = given(new Uint8Array(kPieceCount * kPieceSize).fill(1));
              exchange.answer(head, body, { closes: false });
            }
          },
        });
      });
      beforeEach(() => {
        freedCount = 0;
        mostUnread = 0;
      });
      after(async () => {
        await listener.stopAccepting();
        listener.close();
      });

      /** The client reads slowly. */
      const ask = async (target: string): Promise<Buffer> => {
        const url = `127.0.0.1:${String(listener.address.port)}${target}`;
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          const request = isSecure
            ? getSecure(`https://${url}`, { ca: certificate.cert, agent: false }, resolve)
            : getPlain(`http://${url}`, { agent: false }, resolve);
          request.on('error', reject);
        });
        await pause(50);
        const pieces: Buffer[] = [];
        for await (const piece of answer) pieces.push(piece as Buffer);
        return Buffer.concat(pieces);
      };
      /** The last piece may be freed after it was read. */
      const assertFreed = async (count: number): Promise<void> => {
        for (let left = 200; freedCount < count && left > 0; left -= 1) await pause(5);
        assert.strictEqual(freedCount, count);
        // It counted as unread while it waited.
        assert.isAtLeast(mostUnread, kPieceSize);
        for (let left = 200; unread.bytes > 0 && left > 0; left -= 1) await pause(5);
        assert.strictEqual(unread.bytes, 0);
      };

      it('arrive in pieces unchanged, and each piece is freed once it is sent', async () => {
        const received = await ask('/stream');
        assert.strictEqual(received.length, kPieceCount * kPieceSize);
        for (let at = 0; at < kPieceCount; at += 1) {
          const piece = received.subarray(at * kPieceSize, (at + 1) * kPieceSize);
          assert.isTrue(
            piece.every((byte) => byte === at + 1),
            `piece ${String(at)}`,
          );
        }
        await assertFreed(kPieceCount);
      });

      it('arrive complete and unchanged, and are freed once they are sent', async () => {
        const received = await ask('/whole');
        assert.strictEqual(received.length, kPieceCount * kPieceSize);
        assert.isTrue(received.every((byte) => byte === 1));
        await assertFreed(1);
      });
    });
  }
}
