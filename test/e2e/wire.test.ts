import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import {
  Client,
  UnexpectedAnswer,
  exchangeInTwo,
  maximumTs,
  minimumTs,
  rawExchange,
} from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import {
  isSanitized,
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

import { SlowReader } from './slow-reader.js';

const everything = { start: minimumTs, end: maximumTs };
const ingestPath = '/api/v1/ingest';
const rangePath = '/api/v1/query/range';

for (const transport of ['uws', 'node'] as const) {
  describe(`on the wire, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const dataDir = temporaryDirectory();

    before(async () => {
      server = await startServer({ dataDir, env: { SERIESDB_TRANSPORT: transport } });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      const { code, output } = await server.stop();
      removeDirectory(dataDir);
      assert.strictEqual(code, 0, output);
    });

    const readAll = async (metric: string) =>
      client.rangeGet({ metric, labels: {}, ...everything });

    it('a gzip body is decompressed', async () => {
      const lines = Array.from({ length: 5_000 }, (_, at) => sampleLine('gzip', at)).join('\n');
      const answer = await client.request('POST', ingestPath, {
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(lines),
      });
      assert.strictEqual(answer.status, 200, answer.body);
      assert.lengthOf(await readAll('gzip'), 5_000);
    });

    it('a damaged or cut gzip body is 400 and stores nothing', async () => {
      const whole = gzipSync(
        Array.from({ length: 999 }, (_, at) => sampleLine('cut', at)).join('\n'),
      );
      const damaged = Buffer.from(whole);
      damaged.fill(0x55, whole.length >> 1, (whole.length >> 1) + 20);
      for (const body of [whole.subarray(0, -5), damaged, Buffer.from('no gzip at all')]) {
        const headers = { 'content-encoding': 'gzip' };
        const answer = await client.request('POST', ingestPath, { headers, body });
        assert.strictEqual(answer.status, 400, answer.body);
      }
      assert.lengthOf(await readAll('cut'), 0);
    });

    it('a gzip bomb is cut at the body limit', async () => {
      const body = gzipSync(Buffer.alloc(100 * 2 ** 20, '\n'));
      const headers = { 'content-encoding': 'gzip' };
      const answer = await client.request('POST', ingestPath, { headers, body }).catch(() => null);
      if (answer !== null) assert.strictEqual(answer.status, 413, answer.body);
      if (!isSanitized) assert.isBelow(server.residentBytes(), 600 * 2 ** 20);
    });

    it('an unknown content encoding is 415', async () => {
      const headers = { 'content-encoding': 'compress' };
      const answer = await client.request('POST', ingestPath, { headers, body: 'x' });
      assert.strictEqual(answer.status, 415, answer.body);
    });

    it('a chunked body is one body, wherever it is cut', async () => {
      const random = new Random(testSeed);
      const text = Array.from({ length: 300 }, (_, at) => sampleLine('chunked', at)).join('\n');
      const pieces: string[] = [];
      for (let at = 0; at < text.length;) {
        const size = 1 + random.below(97);
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      const answer = await client.request('POST', ingestPath, { pieces });
      assert.strictEqual(answer.status, 200, answer.body);
      assert.deepEqual(
        (await readAll('chunked')).map(({ ts }) => Number(ts)),
        Array.from({ length: 300 }, (_, at) => at),
      );
    });

    it('Expect: 100-continue is answered before the body comes', async () => {
      const body = sampleLine('expect', 1);
      const head =
        `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${String(body.length)}\r\n\r\n`;
      const text = await exchangeInTwo(server.port, head, body);
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
      assert.lengthOf(await readAll('expect'), 1);
    });

    it('a truncated body stores nothing', async () => {
      await rawExchange(
        server.port,
        `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n` +
          `${sampleLine('broken', 1)}\n${sampleLine('broken', 2)}\n`,
        200,
      );
      assert.lengthOf(await readAll('broken'), 0);
    });

    it('the first bad line is named and nothing of the request is stored', async () => {
      const lines = [sampleLine('atomic', 1), '', sampleLine('atomic', 2), '{"metric":"atomic"}'];
      const answer = await client.request('POST', ingestPath, { body: lines.join('\n') });
      assert.strictEqual(answer.status, 400);
      assert.match(answer.body, /line 4: /);
      assertErrorBody(answer.body, 400);
      assert.lengthOf(await readAll('atomic'), 0);
    });

    it('a POST range without Content-Length is 411', async () => {
      const { text } = await rawExchange(
        server.port,
        `POST ${rangePath} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n` +
          '2\r\n{}\r\n0\r\n\r\n',
      );
      assert.match(text, /^HTTP\/1\.1 411/);
      assert.include(text, 'length_required');
    });

    it('duplicate or conflicting framing headers never smuggle a second request', async () => {
      const hidden = `GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      const heads = [
        `Content-Length: 0\r\nContent-Length: ${String(hidden.length)}`,
        `Content-Length: ${String(hidden.length)}\r\nTransfer-Encoding: chunked`,
        'Transfer-Encoding: identity',
        'Transfer-Encoding: gzip, chunked',
        'Host: y\r\nContent-Length: 0',
        'Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 0',
      ];
      for (const head of heads) {
        const bytes = `POST ${ingestPath} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${hidden}`;
        const { text, isClosed } = await rawExchange(server.port, bytes);
        assert.isTrue(isClosed, `${head} left the connection open: ${text}`);
        assert.notInclude(text, 'query_compiler_mode', `${head} ran a hidden request`);
        assert.notMatch(text, /^HTTP\/1\.1 2/, `${head} was accepted`);
      }
    });

    it('garbage on every route is a clear 4xx and the server keeps running', async () => {
      for (const one of garbage) {
        const answer = await client.request(one.method, one.path, { body: one.body });
        const what = `${one.method} ${one.path} ${one.body.slice(0, 60)}`;
        assert.isAtLeast(answer.status, 400, what);
        assert.isBelow(answer.status, 500, what);
        assertErrorBody(answer.body, answer.status);
      }
      assert.strictEqual((await client.get('/healthz')).status, 200);
    });

    it(`random bytes as a body and as a request do no harm, seed ${String(testSeed)}`, async () => {
      const random = new Random(testSeed);
      for (let count = 0; count < 200; count++) {
        const body = mutate(random, sampleLine('fuzz', count));
        const answer = await client.request('POST', ingestPath, { body });
        assert.include([200, 400, 409, 413], answer.status, answer.body);
      }
      for (let count = 0; count < 40; count++) {
        const head = Buffer.from(`GET /status HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\r\n`);
        await rawExchange(server.port, mutate(random, head), 30);
      }
      assert.strictEqual((await client.get('/healthz')).status, 200);
    });
  });
}

for (const transport of ['uws', 'node'] as const) {
  describe(`a slow reader of a large answer, transport ${transport}`, function () {
    this.timeout(120_000);
    after(killServers);

    it('holds only a bounded part of it in memory, and others are served meanwhile', async () => {
      const dataDir = temporaryDirectory();
      const server = await startServer({ dataDir, env: { SERIESDB_TRANSPORT: transport } });
      const client = new Client(server.port);
      // 2 M points of 17 digits: about 100 MB of JSON.
      for (let batch = 0; batch < 20; batch++) {
        await client.ingest(manyLines('large', batch * 100_000, 100_000));
      }
      const before = server.residentBytes();
      const reader = await SlowReader.open(
        server.port,
        `${rangePath}?metric=large&start=0&end=9999999`,
      );
      for (let count = 0; count < 20; count++) {
        await reader.readSome();
        if (!isSanitized) assert.isBelow(server.residentBytes() - before, 64 * 2 ** 20);
        assert.strictEqual((await client.get('/healthz')).status, 200);
      }
      assert.isBelow(reader.samplesSoFar, 1_000_000, 'the reader was not slow');
      assert.strictEqual(await reader.readRest(), 2_000_000);
      client.close();
      await server.stop();
      removeDirectory(dataDir);
    });
  });
}

describe('bearer authentication', function () {
  this.timeout(60_000);
  after(killServers);

  it('is required on /api/ before routing, and nowhere else', async () => {
    const dataDir = temporaryDirectory();
    const server = await startServer({ dataDir, env: { SERIESDB_AUTH_TOKEN: 'secret' } });
    const client = new Client(server.port);
    for (const path of [ingestPath, rangePath, '/api/nothing']) {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'secret' }]) {
        const answer = await client.request('POST', path, { headers, body: '' });
        assert.strictEqual(answer.status, 401, `${path} ${answer.body}`);
        assert.match(String(answer.headers['www-authenticate']), /^Bearer/);
      }
    }
    const headers = { authorization: 'Bearer secret' };
    const body = sampleLine('m', 1);
    const answer = await client.request('POST', ingestPath, { headers, body });
    assert.strictEqual(answer.status, 200, answer.body);
    for (const path of ['/status', '/metrics', '/healthz', '/readyz']) {
      assert.strictEqual((await client.get(path)).status, 200, path);
    }
    await client.ingest(body).then(
      () => assert.fail('ingested without a token'),
      (error: unknown) => {
        assert.instanceOf(error, UnexpectedAnswer);
      },
    );
    client.close();
    assert.notInclude((await server.stop()).output, 'secret');
    removeDirectory(dataDir);
  });
});

const longName = 'n'.repeat(300);
const garbage: readonly { method: string; path: string; body: string }[] = [
  ...[
    'x',
    '[]',
    '1',
    'null',
    '{"metric":"m"}',
    '{"metric":"m","ts":1}',
    '{"metric":"m","ts":1.5,"value":1}',
    '{"metric":"m","ts":"1","value":1}',
    '{"metric":"m","ts":9223372036854775808,"value":1}',
    '{"metric":"m","ts":-9223372036854775809,"value":1}',
    '{"metric":"m","ts":1,"value":1e309}',
    '{"metric":"m","ts":1,"value":NaN}',
    '{"metric":"m","ts":1,"value":"1"}',
    '{"metric":"m","ts":1,"value":01}',
    '{"metric":"m","ts":1,"value":1}{"metric":"m","ts":2,"value":1}',
    '{"metric":"m","ts":1,"value":1',
    '{"metric":"","ts":1,"value":1}',
    `{"metric":"${longName}","ts":1,"value":1}`,
    '{"metric":"m\\u0000","ts":1,"value":1}',
    '{"metric":"m","ts":1,"fields":{"a":"b"}}',
    '{"metric":"m","labels":{"a":{}},"ts":1,"value":1}',
    '{"metric":"m","labels":[],"ts":1,"value":1}',
    '{"series":"s","tags":{"":"a"},"ts":1,"value":1}',
    '{"series":"s","ts":1,"fields":{"a":"b"}}',
    `{"metric":"m","ts":1,"value":1,"x":"${'y'.repeat(70_000)}"}`,
    '['.repeat(10_000),
  ].map((body) => ({ method: 'POST', path: ingestPath, body })),
  ...[
    '',
    'x',
    '[]',
    '{}',
    '{"metric":"m"}',
    '{"metric":"m","start":1}',
    '{"metric":"m","start":2,"end":1}',
    '{"metric":"m","start":"1","end":2}',
    '{"metric":"m","start":1.5,"end":2}',
    '{"metric":"m","start":1,"end":9223372036854775808}',
    '{"metric":1,"start":1,"end":2}',
    '{"metric":"m","labels":[],"start":1,"end":2}',
    '{"metric":"m","labels":{"a":{}},"start":1,"end":2}',
    '{"series_id":-1,"start":1,"end":2}',
    '{"series_id":"1","start":1,"end":2}',
    '{"start":1,"end":2}',
    `{"metric":"${'m'.repeat(2 ** 21)}","start":1,"end":2}`,
  ].map((body) => ({ method: 'POST', path: rangePath, body })),
  ...[
    '',
    '?start=1&end=2',
    '?metric=m',
    '?metric=m&start=1',
    '?metric=m&start=2&end=1',
    '?metric=m&start=x&end=1',
    '?metric=m&start=1&end=9223372036854775808',
    '?metric=%ff&start=1&end=2',
    '?metric=%zz&start=1&end=2',
    '?metric=m&labels=x&start=1&end=2',
    '?metric=m&labels=[]&start=1&end=2',
    '?series_id=-1&start=1&end=2',
    '?series_id=18446744073709551616&start=1&end=2',
  ].map((query) => ({ method: 'GET', path: `${rangePath}${query}`, body: '' })),
  { method: 'POST', path: `${ingestPath}?precision=h`, body: '' },
  { method: 'POST', path: `${ingestPath}?on_error=maybe`, body: '' },
  { method: 'POST', path: `${ingestPath}?precision=s`, body: sampleLine('m', 2 ** 62) },
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => ({
    method,
    path: ingestPath,
    body: '',
  })),
  ...['POST', 'DELETE'].map((method) => ({ method, path: '/status', body: '' })),
  { method: 'GET', path: '/api/v1/nothing', body: '' },
  { method: 'GET', path: '/%00', body: '' },
  { method: 'POST', path: '/', body: 'x' },
];

function sampleLine(metric: string, ts: number): string {
  const text = BigInt(ts).toString();
  return `{"metric":"${metric}","ts":${text},"value":${String(ts % 7)}}`;
}

function manyLines(metric: string, from: number, count: number): string {
  const lines: string[] = [];
  for (let ts = from; ts < from + count; ts++) {
    lines.push(`{"metric":"${metric}","ts":${String(ts)},"value":${String(Math.sin(ts))}}`);
  }
  return lines.join('\n');
}

// Turns, drops or inserts a few bytes.
function mutate(random: Random, source: string | Buffer): Buffer {
  const bytes = [...Buffer.from(source)];
  for (let times = 1 + random.below(6); times > 0; times--) {
    const at = random.below(bytes.length);
    const removed = random.below(2);
    const inserted = random.chance(0.7) ? [random.below(256)] : [];
    bytes.splice(at, removed, ...inserted);
  }
  return Buffer.from(bytes);
}

function assertErrorBody(text: string, status: number): void {
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.hasAllKeys(body, ['error', 'code', 'status'], text);
  assert.strictEqual(body['status'], status);
  assert.isString(body['error']);
  assert.match(String(body['code']), /^[a-z_]+$/);
}
