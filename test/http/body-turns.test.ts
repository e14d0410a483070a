import { expect } from 'chai';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

import { Turns } from '../../src/http/intake/turns.js';
import {
  pause,
  sendRaw,
  startTestServer,
  transports,
  type TestServer,
} from '../support/http-server.js';

const line = '{"metric":"m","ts":1,"value":2}\n';
const lineMs = 0.01;
const turnMs = 2;
/** The limit of one turn: its budget, the last line of each share, and rounding. */
const longestMs = turnMs + 1;

/** A server on whose clock only the parsing of lines takes time, and how long its turns took. */
class PacedServer {
  readonly #turnsMs: number[] = [];
  #server: TestServer | null = null;
  #turnBegan = 0;

  async start(transport: (typeof transports)[number], maxBodyBytes = 1 << 20): Promise<TestServer> {
    const server = await startTestServer(transport, {
      maxBodyBytes,
      turnsOf: (storage) => {
        storage.lineMs = lineMs;
        return new Turns({
          turnMs,
          now: () => storage.clockMs,
          nextTurn: (callback) => {
            setImmediate(() => {
              this.#turnsMs.push(storage.clockMs - this.#turnBegan);
              this.#turnBegan = storage.clockMs;
              callback();
            });
          },
        });
      },
    });
    this.#server = server;
    return server;
  }

  get longestMs(): number {
    return Math.max(...this.#turnsMs);
  }

  close(): void {
    this.#server?.close();
  }
}

for (const transport of transports) {
  describe(`fair scheduling of bodies over ${transport.name}`, () => {
    let paced: PacedServer;
    let server: TestServer;
    beforeEach(async () => {
      paced = new PacedServer();
      server = await paced.start(transport);
    });
    afterEach(() => {
      paced.close();
    });
    const post = async (body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
      const answer = await fetch(`${server.base}/api/v1/ingest`, { method: 'POST', body, headers });
      return { status: answer.status, text: await answer.text() };
    };
    const body = line.repeat(20_000);

    it('large bodies are parsed in slices, and a small request overtakes them', async () => {
      const large = Array.from({ length: 12 }, () => post(body));
      const load = { isOver: false };
      const all = Promise.all(large).finally(() => {
        load.isOver = true;
      });
      let passed = 0;
      while (!load.isOver) {
        expect((await fetch(`${server.base}/healthz`)).status).to.equal(200);
        if (server.storage.openIngests > 0) passed += 1;
      }
      for (const { text } of await all) expect(text).to.equal('{"ingested":20000}');
      expect(server.storage.samples).to.have.length(240_000);
      // All of them take 2400 milliseconds of the clock.
      expect(paced.longestMs).to.be.within(turnMs / 2, longestMs);
      expect(passed).to.be.greaterThan(3);
    });

    it('gzip output is scheduled as well', async () => {
      const zipped = new Uint8Array(gzipSync(body));
      const headers = { 'content-encoding': 'gzip' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => post(zipped, headers)));
      for (const { text } of answers) expect(text).to.equal('{"ingested":20000}');
      expect(paced.longestMs).to.be.at.most(longestMs);
    });

    it('the first error of a body wins over its size, although its lines are queued', async () => {
      const lines = `${line.repeat(10_000)}{bad\n${line.repeat(30_000)}`;
      const chunk = `${lines.length.toString(16)}\r\n${lines}\r\n0\r\n\r\n`;
      const head =
        'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
      const raw = await sendRaw(server.port, [head + chunk], 1500);
      expect(raw.text).to.contain('line 10001: not JSON');
      expect(server.storage.openIngests).to.equal(0);
    });

    it('queued lines are dropped when their client disconnects', async () => {
      const others = Array.from({ length: 4 }, () => post(body));
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const length = `Content-Length: ${body.length}`;
      socket.write(
        `POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n${body.slice(0, -9)}`,
      );
      while (server.storage.openIngests < 5) await pause(1);
      socket.resetAndDestroy();
      for (const { text } of await Promise.all(others)) expect(text).to.equal('{"ingested":20000}');
      while (server.storage.openIngests > 0) await pause(1);
      expect(server.storage.samples).to.have.length(80_000);
    });

    it('a rejected body keeps the connection in sync while others wait', async () => {
      const others = Array.from({ length: 4 }, () => post(body));
      const bad = `{bad\n${body}`;
      const raw = await sendRaw(
        server.port,
        [
          `POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bad.length}\r\n\r\n${bad}`,
          'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
        ],
        1500,
      );
      expect(raw.text).to.contain('line 1: not JSON');
      expect(raw.text).to.contain('HTTP/1.1 200');
      expect(raw.isClosed).to.equal(false);
      await Promise.all(others);
      expect(server.storage.openIngests).to.equal(0);
    });

    it('waiting for a turn does not count against the body timeout', async () => {
      const turns: (() => void)[] = [];
      const held = await startTestServer(transport, {
        times: { bodySilenceMs: 300, sweepMs: 20 },
        turnsOf: (storage) => {
          storage.lineMs = 2 * turnMs;
          const nextTurn = (callback: () => void): void => {
            turns.push(callback);
          };
          return new Turns({ turnMs, now: () => storage.clockMs, nextTurn });
        },
      });
      // Too few bytes to earn the client more time.
      const first = line.repeat(3);
      const length = `Content-Length: ${first.length + line.length}`;
      const socket = connect(held.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
      socket.write(`POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n${first}`);
      while (turns.length === 0) await pause(1);
      // No turn comes for longer than the client may be silent.
      await pause(400);
      while (turns.length > 0) {
        for (const turn of turns.splice(0)) turn();
      }
      // The client goes on, and the wrapper looks at it before it has ended.
      await pause(100);
      expect(answer).to.equal('');
      socket.write(line);
      while (answer === '') {
        for (const turn of turns.splice(0)) turn();
        await pause(1);
      }
      expect(answer).to.contain('{"ingested":4}');
      socket.destroy();
      held.close();
    });
  });
}
