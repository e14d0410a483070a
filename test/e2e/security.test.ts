import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import { Client, rawExchange } from '../support/client.js';
import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import {
  isSanitized,
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const ingestPath = '/api/v1/ingest';
const line = '{"metric":"m","ts":1,"value":1}\n';
/** Longer than any answer takes on a machine with other work. */
const longMs = 10_000;
const bearer = 'Authorization: Bearer sesame\r\n';

/** Other spellings of a guarded path, each accepted for it by some server or proxy. */
const tricks = [
  '//api/v1/ingest',
  '/api//v1/ingest',
  '/API/v1/ingest',
  '/Api/V1/Ingest',
  '/%61pi/v1/ingest',
  '/api%2fv1%2fingest',
  '/%2fapi/v1/ingest',
  '/./api/v1/ingest',
  '/x/../api/v1/ingest',
  '/api/v1/../v1/ingest',
  '/status/../api/v1/ingest',
  '/status/..%2fapi/v1/ingest',
  '/%2e%2e/api/v1/ingest',
  '/..;/api/v1/ingest',
  '/;/api/v1/ingest',
  '/api;x=1/v1/ingest',
  '/api/v1/ingest;x=1',
  '/api/v1/ingest/',
  '/api/v1/ingest.',
  '/api./v1/ingest',
  '/api/v1/ingest%00',
  '/api/v1/ingest%20',
  '/api\\v1\\ingest',
  '\\api\\v1\\ingest',
  'api/v1/ingest',
  '/api/v1/ingest#x',
  '/status#/api/v1/ingest',
  'http://x/api/v1/ingest',
  'HTTP://x/api/v1/ingest',
  'http://x//api/v1/ingest',
  'http:/api/v1/ingest',
  '*',
  '?/api/v1/ingest',
  '/__admin/status',
];

function post(target: string, headers: string, body: string): string {
  const length = `Content-Length: ${String(Buffer.byteLength(body))}\r\n`;
  return `POST ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body}`;
}

/** Milliseconds until the server closes; sends `piece` again and again, or nothing more. */
async function closedAfter(
  port: number,
  first: string,
  piece = '',
  everyMs = 100,
): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write(first));
    const timer = setInterval(() => {
      if (piece !== '') socket.write(piece);
    }, everyMs);
    const limit = setTimeout(() => socket.destroy(), 25_000);
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve(performance.now() - begin);
    });
  });
}

/** The server's output until it closes; sends `piece` repeatedly meanwhile. */
async function answerBeforeClose(
  port: number,
  first: string,
  piece: string,
  everyMs = 100,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write(first, 'latin1'));
    const timer = setInterval(() => {
      if (piece !== '' && text === '') socket.write(piece);
    }, everyMs);
    socket.setTimeout(20_000, () => {
      reject(new Error(`still open after: ${text}`));
    });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    // Bytes sent after the server's last output reset the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

for (const transport of ['uws', 'node'] as const) {
  describe(`attacks over transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const dataDir = temporaryDirectory();

    before(async () => {
      const times = ['--body-timeout-ms', '1000', '--reader-timeout-ms', '1000'];
      const args = ['--header-timeout-ms', '1000', ...times];
      server = await startServer({
        dataDir,
        args,
        env: { SERIESDB_TRANSPORT: transport, SERIESDB_AUTH_TOKEN: 'sesame' },
      });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(dataDir);
    });

    const metric = async (name: string, labels = {}): Promise<number> =>
      sampleOf(parseExposition((await client.get('/metrics')).body), name, labels);

    it('no alternative spelling reaches a guarded path, with or without the token', async () => {
      for (const target of tricks) {
        for (const headers of ['', bearer]) {
          const { text } = await rawExchange(server.port, post(target, headers, line), 150, longMs);
          assert.match(text, /^HTTP\/1\.1 (400|401|404|405|505) /, `${target}: ${text}`);
          assert.notInclude(text, 'ingested', target);
        }
      }
      assert.strictEqual(await metric('seriesdb_ingest_total'), 0);
      const { text } = await rawExchange(server.port, post(ingestPath, bearer, line), 150, longMs);
      assert.match(text, /^HTTP\/1\.1 200 /);
      assert.strictEqual(await metric('seriesdb_ingest_total'), 1);
    });

    it('a missing token is rejected before path, method and query are checked', async () => {
      for (const target of ['/api/', '/api/nothing', `${ingestPath}?precision=h`, '/api/../x']) {
        for (const method of ['POST', 'GET', 'DELETE', 'BREW']) {
          const request = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`;
          const { text } = await rawExchange(server.port, request, 150, longMs);
          // node:http knows only the registered methods.
          const expected = method === 'BREW' ? /^HTTP\/1\.1 40[01] / : /^HTTP\/1\.1 401 /;
          assert.match(text, expected, `${method} ${target}`);
        }
      }
    });

    it('a missing token is rejected before a byte of the body arrives', async () => {
      const heads = [
        'Content-Length: 5',
        `Content-Length: ${String(2 ** 40)}`,
        'Transfer-Encoding: chunked',
      ];
      for (const head of heads) {
        const begin = performance.now();
        const request = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`;
        const { text } = await rawExchange(server.port, request, 700);
        assert.match(text, /^HTTP\/1\.1 401 /, head);
        assert.isBelow(performance.now() - begin, 3_000);
      }
    });

    it('an endless head is cut', async () => {
      const heads = [
        `A: ${'x'.repeat(20_000)}\r\n`,
        Array.from({ length: 2_000 }, (_, at) => `A${String(at)}: x\r\n`).join(''),
      ];
      for (const head of heads) {
        const request = `GET /status HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`;
        const { text, isClosed } = await rawExchange(server.port, request);
        assert.match(text, /^HTTP\/1\.1 4\d\d |^$/);
        assert.isTrue(isClosed);
      }
      const long = `GET /status?${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      assert.notMatch((await rawExchange(server.port, long)).text, /^HTTP\/1\.1 2/);
      assert.strictEqual((await client.get('/healthz')).status, 200);
    });

    it('a slow sender is cut: silent or one byte at a time, in head and body', async () => {
      const head = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n`;
      const body = `${head}${bearer}Content-Length: 1000000\r\n\r\n`;
      const chunked = `${head}${bearer}Transfer-Encoding: chunked\r\n\r\n`;
      const refused = `${head}Content-Length: 1000000\r\n\r\n`;
      const times = await Promise.all([
        closedAfter(server.port, ''),
        closedAfter(server.port, head),
        closedAfter(server.port, `${head}A: `, 'x'),
        closedAfter(server.port, body),
        closedAfter(server.port, body, ' '),
        closedAfter(server.port, chunked, '1\r\n\n\r\n'),
        closedAfter(server.port, refused),
      ]);
      // uWebSockets.js has its own timeouts for heads: 10 s, checked every 4 s.
      const limit = transport === 'uws' ? 17_000 : 6_000;
      for (const [at, ms] of times.entries()) assert.isBelow(ms, limit, `client ${String(at)}`);
      assert.strictEqual((await client.get('/healthz')).status, 200);
    });

    it('a thousand slow connections block no other client', async () => {
      const head = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n`;
      const body = `${head}${bearer}Content-Length: 1000000\r\n\r\n`;
      const slow = Array.from({ length: 500 }, () => [
        closedAfter(server.port, `${head}A: `, 'x', 250),
        closedAfter(server.port, body, ' ', 250),
      ]).flat();
      let closedCount = 0;
      for (const one of slow) void one.then(() => (closedCount += 1));
      let answered = 0;
      while (closedCount < slow.length) {
        assert.strictEqual((await client.get('/healthz')).status, 200);
        answered += 1;
      }
      // If each client blocked the server for a turn, it would answer only a handful.
      assert.isAbove(answered, 100);
      const limit = transport === 'uws' ? 20_000 : 10_000;
      assert.isBelow(Math.max(...(await Promise.all(slow))), limit);
    });

    it('a slow body is answered 408, however it is sent', async () => {
      const head = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n${bearer}`;
      const counted = `${head}Content-Length: 1000000\r\n`;
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
      const zipped = gzipSync(line.repeat(1_000)).subarray(0, 20).toString('latin1');
      const bodies: readonly (readonly [string, string])[] = [
        [`${counted}\r\n`, ''],
        [`${counted}\r\n${line}`, ''],
        [`${counted}\r\n`, ' '],
        [chunked, ''],
        [`${chunked}20\r\n${line}`, ''],
        [chunked, '1\r\n\n\r\n'],
        [`${counted}Content-Encoding: gzip\r\n\r\n${zipped}`, ''],
      ];
      const answers = await Promise.all(
        bodies.map(([first, piece]) => answerBeforeClose(server.port, first, piece)),
      );
      for (const [at, text] of answers.entries()) {
        const what = `body ${String(at)}: ${text}`;
        assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/, what);
        assert.include(text, '"code":"body_timeout"', what);
      }
    });

    it('a body may be slow if it brings 1 KiB/s', async () => {
      const before = await metric('seriesdb_ingest_total');
      const lines = line.repeat(64);
      // Longer than uWebSockets.js waits for 160 KiB.
      const count = 28;
      const length = `Content-Length: ${String(count * lines.length)}\r\n\r\n`;
      const head = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n${bearer}Connection: close\r\n`;
      const text = await answerBeforeClose(server.port, head + length, lines, 500);
      assert.match(text, /^HTTP\/1\.1 200 /);
      assert.strictEqual((await metric('seriesdb_ingest_total')) - before, count * 64);
    });

    it('a client that does not read a long answer is cut', async () => {
      for (let batch = 0; batch < 5; batch++) {
        const lines = Array.from({ length: 100_000 }, (_, at) => {
          const ts = String(batch * 100_000 + at);
          return `{"metric":"long","ts":${ts},"value":${String(Math.sin(at))}}`;
        });
        const headers = { authorization: 'Bearer sesame' };
        const answer = await client.request('POST', ingestPath, {
          headers,
          body: lines.join('\n'),
        });
        assert.strictEqual(answer.status, 200, answer.body);
      }
      const target = '/api/v1/query/range?metric=long&start=0&end=999999';
      const socket = net.connect({ host: '127.0.0.1', port: server.port });
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${bearer}\r\n`);
      const labels = { route: '/api/v1/query/range', method: 'GET', status: '0' };
      const deadline = performance.now() + 15_000;
      for (;;) {
        const cut = await metric('seriesdb_http_requests_total', labels).catch(() => 0);
        if (cut === 1) break;
        assert.isBelow(performance.now(), deadline, 'the server still waits for the reader');
        await sleep(100);
      }
      socket.destroy();
    });

    it('unread answers cannot fill the memory', async () => {
      const asked = { route: '/metrics', method: 'GET', status: '200' };
      // The first answer makes the sample.
      await client.get('/metrics');
      const answeredBefore = await metric('seriesdb_http_requests_total', asked);
      const before = server.residentBytes();
      const unread = Array.from({ length: 101 }, () => {
        const socket = net.connect({ host: '127.0.0.1', port: server.port });
        socket.on('error', () => undefined);
        socket.pause();
        return socket;
      });
      const [pipelining, ...single] = unread;
      const request = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
      for (const socket of single) socket.write(request);
      const requests = request.repeat(1_000);
      let most = 0;
      for (let times = 0; times < 40; times++) {
        if (times < 20) pipelining?.write(requests);
        await sleep(50);
        most = Math.max(most, server.residentBytes() - before);
      }
      // All answers together would be more than 200 MB.
      if (!isSanitized) assert.isBelow(most, 128 * 2 ** 20);
      // uWebSockets.js closes a connection that pipelines: see docs/wire.md.
      const least = single.length + (transport === 'node' ? 10 : 0);
      const deadline = performance.now() + 20_000;
      for (;;) {
        const all = await metric('seriesdb_http_requests_total', asked);
        if (all - answeredBefore > least) break;
        assert.isBelow(performance.now(), deadline, `${all - answeredBefore} answers`);
        await sleep(100);
      }
      for (const socket of unread) socket.destroy();
      // A fresh connection: the server may have closed those that were idle meanwhile.
      const { text } = await rawExchange(
        server.port,
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        10_000,
      );
      assert.match(text, /^HTTP\/1\.1 200 /);
    });
  });
}
