/**
 * A streamed remote_read answer is produced at the pace of its client, until the client
 * disconnects.
 */
import { connect } from 'node:net';

import { assert } from 'chai';

import {
  pause,
  sendRaw,
  startTestServer,
  transports,
  type TestServer,
} from '../../support/http-server.js';
import { postRead, readRequest } from '../../support/remote-read.js';

const body = Buffer.from(readRequest([{ start: 0, end: 1, matchers: [] }], [1]));
const head = [
  'POST /api/v1/read HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/x-protobuf',
  'Content-Encoding: identity',
  `Content-Length: ${String(body.length)}`,
];
const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);

for (const transport of transports) {
  describe(`a stream of remote_read over ${transport.name}`, function () {
    this.timeout(20_000);
    let server: TestServer;
    let pulledCount = 0;
    let isClosed = false;
    before(async () => {
      server = await startTestServer(transport);
    });
    after(() => {
      server.close();
    });
    const answerWith = (next: () => Uint8Array): void => {
      pulledCount = 0;
      isClosed = false;
      server.storage.stream = {
        next: async () => {
          await pause(0);
          pulledCount += 1;
          return next();
        },
        close: () => {
          isClosed = true;
        },
      };
    };
    const isEnded = async (): Promise<void> => {
      while (!isClosed) await pause(5);
    };

    it('is produced as fast as its client reads, and stops when it disconnects', async () => {
      answerWith(() => Buffer.alloc(256 * 1024));
      const socket = connect(server.port, '127.0.0.1');
      socket.pause();
      socket.write(request);
      let pulled = 0;
      // Waits until the socket buffers are full.
      while (pulled === 0 || pulled !== pulledCount) {
        pulled = pulledCount;
        await pause(300);
      }
      assert.isBelow(pulled, 100);
      socket.resume();
      while (pulledCount < pulled + 20) await pause(5);
      socket.destroy();
      await isEnded();
    });

    it('fails with an error before its first frame, and is cut off later', async () => {
      const fault = Object.assign(new Error('damaged'), { code: 'storage_corrupt' });
      answerWith(() => {
        throw fault;
      });
      const early = await postRead(server.port, body, { 'content-encoding': 'identity' });
      assert.strictEqual(early.status, 503);
      assert.strictEqual(early.headers.get('content-type'), 'text/plain; charset=utf-8');
      answerWith(() => {
        if (pulledCount > 5) throw fault;
        return Buffer.alloc(1024);
      });
      const late = await sendRaw(server.port, [request]);
      assert.isTrue(late.isClosed);
      assert.include(late.text, 'HTTP/1.1 200');
      assert.notMatch(late.text, /\r\n0\r\n\r\n$/);
      await isEnded();
    });
  });
}
