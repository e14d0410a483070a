/** What a connection does with the client's FIN, or a next request, while an answer is owed. */
import { connect } from 'node:net';

import { expect } from 'chai';

import { jsonReply } from '../../src/http/route/reply.js';
import { pause, startTestServer, transports, type TestServer } from '../support/http-server.js';
import { plainTable } from '../support/plain-routes.js';

const path = '/api/v1/ingest';
const kSoonMs = 20;
/** Longer than a server waits for the answer to a client that may be gone. */
const kLateMs = 250;
/** Longer than uWebSockets.js lets a connection idle: three or four sweeps of 4 s. */
const kIdleMs = 17_000;

function post(ts: number): string {
  const line = `{"metric":"m","ts":${ts},"value":1}\n`;
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${line.length}\r\n\r\n${line}`;
}

const slowRoutes = plainTable([
  [
    'POST',
    '/slow',
    async () => {
      await pause(kLateMs * 4);
      return jsonReply('1');
    },
  ],
]);

interface Asked {
  readonly requests: readonly string[];
  readonly ends?: boolean;
  /** The time of the answer, from the last byte of the client on. */
  readonly answerMs: number;
}

/** Sends the requests in turn, then the FIN if asked. Reads until the server closes. */
async function told(
  { port, storage }: TestServer,
  { requests, ends = false, answerMs }: Asked,
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  const isClosed = new Promise((resolve) => socket.on('end', resolve).on('close', resolve));
  let answer = (): void => undefined;
  storage.commitGate = new Promise((resolve) => (answer = resolve));
  for (const request of requests) {
    const begun = storage.openIngests;
    socket.write(request);
    if (request === requests[0]) while (storage.openIngests === begun) await pause(1);
  }
  if (ends) socket.end();
  setTimeout(answer, answerMs);
  await Promise.race([isClosed, pause(answerMs + kLateMs * 2)]);
  socket.destroy();
  return text;
}

const statusesOf = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);

for (const transport of transports) {
  describe(`while an answer is owed over ${transport.name}`, function () {
    this.timeout(30_000);
    let server: TestServer;
    beforeEach(async () => {
      server = await startTestServer(transport);
    });
    afterEach(() => {
      server.close();
    });
    const samples = (): readonly number[] => server.storage.samples.map(({ ts }) => Number(ts));

    it('a client that closes its sending side gets the answer', async () => {
      const asked = { requests: [post(1)], ends: true, answerMs: kSoonMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200']);
      expect(samples()).to.deep.equal([1]);
    });

    it('a next request waits for its turn', async () => {
      const asked = { requests: [post(1), post(2)], answerMs: kSoonMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200', '200']);
      expect(samples()).to.deep.equal([1, 2]);
    });

    it('a late answer to a request that stores is sent, closed sending side or not', async () => {
      const asked = { requests: [post(1)], ends: true, answerMs: kLateMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200']);
      expect(samples()).to.deep.equal([1]);
    });

    it('a late answer to an INSERT is sent, also behind a comment', async () => {
      const comment = `-- ${'x'.repeat(4000)}`;
      const insert = 'INSERT into m values (1, 2)';
      for (const text of [insert, `${comment}\n${insert}`]) {
        const head = `Host: localhost\r\nContent-Length: ${String(text.length)}`;
        const request = `POST /api/v1/seriesql HTTP/1.1\r\n${head}\r\n\r\n${text}`;
        const asked = { requests: [request], ends: true, answerMs: kLateMs };
        expect(statusesOf(await told(server, asked)), text.slice(0, 20)).to.deep.equal(['200']);
      }
    });

    it('a next request waits until a request that stores is answered, however late', async () => {
      const asked = { requests: [post(1), post(2)], answerMs: kLateMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200', '200']);
      expect(samples()).to.deep.equal([1, 2]);
    });

    it('a late answer to another request is not sent after the sending side closed', async () => {
      const slow = await startTestServer(transport, { routes: slowRoutes });
      const socket = connect({ host: '127.0.0.1', port: slow.port, allowHalfOpen: true });
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
      const isClosed = new Promise((resolve) => socket.on('end', resolve).on('error', resolve));
      socket.end('POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1');
      await isClosed;
      socket.destroy();
      slow.close();
      expect(text).to.equal('');
    });

    it('an answer is sent however long it takes', async () => {
      const asked = { requests: [post(1)], answerMs: kIdleMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200']);
    });

    it('a late answer is sent to a client that did not', async () => {
      const asked = { requests: [post(1)], answerMs: kLateMs };
      expect(statusesOf(await told(server, asked))).to.deep.equal(['200']);
    });
  });
}
