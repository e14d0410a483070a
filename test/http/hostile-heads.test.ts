import { connect } from 'node:net';

import { expect } from 'chai';

import { createNodeTransport } from '../../src/http/transport/node-transport.js';
import {
  pause,
  sendRaw,
  startTestServer,
  transports,
  type TestServer,
} from '../support/http-server.js';

const line = '{"metric":"m","ts":1,"value":1}\n';

for (const transport of transports) {
  describe(`lookalike paths over ${transport.name}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(transport, { token: 'sesame' });
    });
    after(() => {
      server.close();
    });

    const tricks = [
      '//api/v1/ingest',
      '/API/v1/ingest',
      '/Api/v1/ingest',
      '/%61pi/v1/ingest',
      '/api%2fv1%2fingest',
      '/api/v1%2Fingest',
      '/api/v1/ingest/',
      '/api/v1/./ingest',
      '/api/v1/../v1/ingest',
      '/status/../api/v1/ingest',
      '/api//v1/ingest',
      '/api/v1/ingest;a=b',
      '/api/v1/ingest%00',
      '/api\\v1\\ingest',
      'http://a/api/v1/ingest',
      '*',
    ];
    for (const path of tricks) {
      it(`${path} reaches no route without the token`, async () => {
        const raw = await sendRaw(server.port, [
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${line.length}\r\n\r\n${line}`,
        ]);
        expect(raw.text).to.match(/^HTTP\/1\.1 (400|401|404|505) /);
        expect(server.storage.lastIngest).to.equal(null);
        expect(server.storage.samples).to.deep.equal([]);
      });
    }

    it('is refused before its body is read, however large', async () => {
      const length = 50 * 1024 * 1024;
      const raw = await sendRaw(server.port, [
        `POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`,
      ]);
      expect(raw.text).to.match(/^HTTP\/1\.1 401 /);
    });

    it('is refused when the head is too large', async () => {
      const raw = await sendRaw(server.port, [
        `GET /status HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`,
      ]);
      expect(raw.text).to.match(/^HTTP\/1\.1 431 /);
      expect(raw.isClosed).to.equal(true);
    });
  });
}

describe('a slow head over node', () => {
  it('is answered 408 and its connection closed, while others are served', async () => {
    const server = await startTestServer(createNodeTransport({ headerTimeoutMs: 300 }));
    const started = performance.now();
    const parts = ['GET /healthz HTTP/1.1\r\n', ...Array.from({ length: 80 }, () => 'a')];
    const slow = sendRaw(server.port, parts);
    await pause(100);
    expect((await fetch(`${server.base}/healthz`)).status).to.equal(200);
    const raw = await slow;
    expect(raw.text).to.match(/^HTTP\/1\.1 408 .*"status":408/s);
    expect(raw.isClosed).to.equal(true);
    expect(performance.now() - started).to.be.at.least(300);
    server.close();
  });
});

for (const transport of transports.filter(({ name }) => name === 'uws')) {
  describe('a slow head over uws', function () {
    this.timeout(30_000);

    it('closes its connection after a fixed time of about ten seconds', async () => {
      const server = await startTestServer(transport);
      const closedMs = await new Promise<number>((resolve) => {
        const started = performance.now();
        const socket = connect(server.port, '127.0.0.1');
        const drip = setInterval(() => socket.write('a'), 500);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearInterval(drip);
          resolve(performance.now() - started);
        });
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ');
      });
      expect(closedMs).to.be.within(5_000, 20_000);
      server.close();
    });
  });
}
