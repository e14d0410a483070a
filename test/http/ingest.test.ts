import { expect } from 'chai';
import { gzipSync } from 'node:zlib';

import {
  pause,
  sendRaw,
  startInjected,
  startTestServer,
  transports,
  type InjectedServer,
  type TestServer,
} from '../support/http-server.js';

const line = '{"metric":"m","ts":1,"value":2}\n';

describe('POST /api/v1/ingest', () => {
  let server: InjectedServer;
  beforeEach(() => {
    server = startInjected();
  });
  afterEach(() => {
    server.close();
  });
  const post = (body: string, query = '') => server.ask(`/api/v1/ingest${query}`, { body });

  it('stores the good lines of a lenient request', async () => {
    const answer = await post(`${line}{bad\n`, '?on_error=skip&precision=ns');
    expect(await answer.json()).to.deep.equal({
      ingested: 1,
      rejected: 1,
      errors: [{ line: 2, code: 'invalid_json', error: 'line 2: not JSON' }],
    });
    expect(server.storage.lastIngest).to.deep.equal({ precision: 'ns', isLenient: true });
  });

  it('rejects unknown values of its parameters', async () => {
    const codes = [];
    for (const query of ['?precision=h', '?on_error=x', '?precision=%zz']) {
      codes.push(((await (await post(line, query)).json()) as { code: string }).code);
    }
    expect(codes).to.deep.equal(['invalid_precision', 'invalid_on_error', 'invalid_query_string']);
  });

  it('answers 503, with Retry-After only under backpressure', async () => {
    server.storage.beginError = 'ingest_backpressure';
    const early = await post(line);
    expect([early.status, early.headers.get('retry-after')]).to.deep.equal([503, '1']);
    server.storage.beginError = null;
    server.storage.commitError = Object.assign(new Error('disk full'), {
      code: 'storage_unavailable',
    });
    const late = await post(line);
    expect(late.headers.get('retry-after')).to.equal(null);
    expect(await late.json()).to.deep.equal({
      error: 'disk full',
      code: 'storage_unavailable',
      status: 503,
    });
    expect(server.storage.openIngests).to.equal(0);
  });
});

for (const transport of transports) {
  describe(`POST /api/v1/ingest over ${transport.name}`, () => {
    let server: TestServer;
    beforeEach(async () => {
      server = await startTestServer(transport, { maxBodyBytes: 1000 });
    });
    afterEach(() => {
      server.close();
    });
    const post = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
      fetch(`${server.base}/api/v1/ingest`, { method: 'POST', body, headers });

    it('stores the lines and answers how many', async () => {
      const answer = await post(line + line);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json');
      expect(await answer.text()).to.equal('{"ingested":2}');
      expect(server.storage.lastIngest).to.deep.equal({ precision: 'ms', isLenient: false });
      expect(server.storage.openIngests).to.equal(0);
    });

    it('accepts an empty body and a body without a length', async () => {
      expect(await (await post('')).text()).to.equal('{"ingested":0}');
      const raw = await sendRaw(server.port, [
        'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ]);
      expect(raw.text).to.contain('{"ingested":0}');
    });

    it('accepts a chunked body in pieces that split a line', async () => {
      const raw = await sendRaw(server.port, [
        'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
        `a\r\n${line.slice(0, 10)}\r\n`,
        `${(line.length - 10).toString(16)}\r\n${line.slice(10)}\r\n0\r\n\r\n`,
      ]);
      expect(raw.text).to.contain('{"ingested":1}');
    });

    it('answers 100 Continue on request', async () => {
      const raw = await sendRaw(server.port, [
        `POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n` +
          `Content-Length: ${line.length}\r\n\r\n`,
        line,
      ]);
      expect(raw.text).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/);
    });

    it('decodes gzip, and rejects damaged gzip and other encodings', async () => {
      const zipped = new Uint8Array(gzipSync(line + line));
      const good = await post(zipped, { 'content-encoding': 'gzip' });
      expect(await good.text()).to.equal('{"ingested":2}');
      const cut = await post(zipped.slice(0, -5), { 'content-encoding': 'gzip' });
      expect([cut.status, ((await cut.json()) as { code: string }).code]).to.deep.equal([
        400,
        'invalid_encoding',
      ]);
      const other = await post(line, { 'content-encoding': 'br' });
      expect(other.status).to.equal(415);
      expect(server.storage.openIngests).to.equal(0);
    });

    it('decodes all of a compressed body or rejects it', async () => {
      const member = gzipSync(line);
      const zero = Buffer.of(0);
      const bodies: readonly [name: string, body: Buffer, ingested: number | null][] = [
        ['two members', Buffer.concat([member, member]), 2],
        ['a zero byte between two members', Buffer.concat([member, zero, member]), null],
        ['a zero byte at the end', Buffer.concat([member, zero]), null],
        ['text at the end', Buffer.concat([member, Buffer.from('x')]), null],
        ['half a member at the end', Buffer.concat([member, member.subarray(0, 9)]), null],
      ];
      for (const [name, body, ingested] of bodies) {
        const answer = await post(new Uint8Array(body), { 'content-encoding': 'gzip' });
        if (ingested === null) {
          expect(await answer.json(), name).to.include({ code: 'invalid_encoding' });
        } else {
          expect(await answer.json(), name).to.deep.equal({ ingested });
        }
      }
      expect(server.storage.openIngests).to.equal(0);
    });

    it('cuts a gzip bomb at the body limit and keeps running', async () => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(50 * 1024 * 1024, 10)));
      const answer = await post(bomb, { 'content-encoding': 'gzip' });
      expect(await answer.json()).to.deep.equal({
        error: 'the body is larger than 1000 bytes',
        code: 'payload_too_large',
        status: 413,
      });
      expect((await post(line)).status).to.equal(200);
    });

    it('accepts a body at the limit and rejects one byte more, chunked or not', async () => {
      expect((await post('\n'.repeat(1000))).status).to.equal(200);
      expect((await post('\n'.repeat(1001))).status).to.equal(413);
      const head =
        'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
      const raw = await sendRaw(server.port, [
        head,
        `3e8\r\n${'\n'.repeat(1000)}\r\n`,
        '1\r\n\n\r\n0\r\n\r\n',
      ]);
      expect(raw.text).to.contain('HTTP/1.1 413');
    });

    it('names the bad line, stores nothing and keeps the connection in sync', async () => {
      const body = `${line}{bad\n${line}`;
      const length = `Content-Length: ${body.length}`;
      const head = `POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`;
      const raw = await sendRaw(server.port, [
        head + body.slice(0, 40),
        body.slice(40),
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ]);
      expect(raw.text).to.contain('"error":"line 2: not JSON","code":"invalid_json","status":400');
      expect(raw.text).to.contain('HTTP/1.1 200');
      expect(raw.isClosed).to.equal(false);
      expect(server.storage.samples).to.have.length(0);
      expect(server.storage.openIngests).to.equal(0);
    });

    it('answers a bad endless chunked body, and closes', async () => {
      const raw = await sendRaw(
        server.port,
        [
          'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
          '5\r\n{bad\n\r\n',
        ],
        1500,
      );
      expect(raw.text).to.contain('HTTP/1.1 400');
      expect(raw.isClosed).to.equal(true);
    });

    it('aborts when the client disconnects midway', async () => {
      await sendRaw(
        server.port,
        ['POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n', line],
        10,
      );
      await pause(50);
      expect(server.storage.samples).to.have.length(0);
      expect(server.storage.openIngests).to.equal(0);
    });
  });
}
