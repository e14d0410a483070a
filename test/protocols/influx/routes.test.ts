/** The answers of the InfluxDB routes, for each outcome and in each version's format. */
import { once } from 'node:events';
import { connect } from 'node:net';

import { expect } from 'chai';

import { digestOf } from '../../../src/http/auth/token.js';
import {
  startInjected,
  startTestServer,
  transports,
  type InjectedServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/http-server.js';

const line = 'm value=1 1\n';
const paths = ['/write', '/api/v2/write'] as const;

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

describe('the routes of InfluxDB', () => {
  let server: InjectedServer;
  const start = (options: TestServerOptions = {}): void => {
    server = startInjected(options);
  };
  afterEach(() => {
    server.close();
  });

  async function ask(target: string, asked = {}): Promise<Told> {
    const answer = await server.ask(target, asked);
    const text = await answer.text();
    const { status, headers } = answer;
    return { status, headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }
  const post = (target: string, body = line, headers = {}) => ask(target, { body, headers });

  it('answer 204 with their version and no body when all is stored', async () => {
    start();
    for (const path of paths) {
      const { status, headers, body } = await post(path);
      expect([status, body]).to.deep.equal([204, null]);
      expect(headers.get('x-influxdb-version')).to.equal('1.8-seriesdb/0.0.0-test');
      expect(headers.get('content-type')).to.equal(null);
      expect((await post(path, '')).status).to.equal(204);
    }
    expect(server.storage.samples).to.have.length(2);
  });

  it('report the skipped lines of a partly bad body, and store the rest', async () => {
    start();
    const body = `${line}bad\n${line}worse\n`;
    const one = await post('/write', body);
    const why = "line 2: unable to parse 'bad': no field";
    expect([one.status, one.body]).to.deep.equal([
      400,
      { error: `partial write: ${why} dropped=2` },
    ]);
    expect(one.headers.get('x-influxdb-error')).to.equal(`partial write: ${why} dropped=2`);
    const two = await post('/api/v2/write', body);
    expect([two.status, two.body]).to.deep.equal([
      400,
      { code: 'invalid', message: `partial write: 2 of 4 lines rejected: ${why}` },
    ]);
    expect(server.storage.samples).to.have.length(4);
    expect((await post('/write', 'é\n')).headers.get('x-influxdb-error')).to.equal(
      "partial write: line 1: unable to parse '?': no field dropped=1",
    );
    expect((await post('/api/v2/write', 'bad\n')).body).to.deep.equal({
      code: 'invalid',
      message: "1 of 1 lines rejected: line 1: unable to parse 'bad': no field",
    });
  });

  it('store nothing of a partly bad body on request', async () => {
    start();
    for (const path of paths) {
      const { status, body } = await post(`${path}?on_error=fail`, `${line}bad\n`);
      const error = "line 2: unable to parse 'bad': no field";
      expect(status).to.equal(400);
      expect(body).to.deep.equal(
        path === '/write' ? { error } : { code: 'invalid', message: error },
      );
    }
    expect(server.storage.samples).to.have.length(0);
  });

  it('accept every unit of the clients, and default to nanoseconds', async () => {
    start();
    const taken: string[] = [];
    const words = ['n', 'ns', 'u', 'us', '%C2%B5', 'ms', 's', 'm', 'h'];
    for (const query of ['', ...words.map((word) => `?precision=${word}`)]) {
      for (const path of paths) expect((await post(path + query)).status).to.equal(204);
      taken.push(server.storage.lastIngest?.precision ?? '');
    }
    expect(taken).to.deep.equal(['ns', 'ns', 'ns', 'us', 'us', 'us', 'ms', 's', 'm', 'h']);
    expect((await post('/write?precision=d')).body).to.have.property('error');
    expect((await post('/api/v2/write?precision=d')).body).to.include({ code: 'invalid' });
  });

  it('store the database or bucket as a label if a setting names one', async () => {
    start({ databaseLabel: 'db' });
    await post('/write?db=telegraf');
    await post('/api/v2/write?bucket=b%20c&org=o');
    await post('/write');
    expect(server.storage.samples.map(({ labels }) => labels)).to.deep.equal([
      '{"db":"telegraf"}',
      '{"db":"b c"}',
      '{}',
    ]);
  });

  it('accept the token in each form that clients use, and in no other', async () => {
    start({ token: 'a:b' });
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
    const good = ['Bearer a:b', 'Token a:b', 'Token user:a:b', basic('any:a:b')];
    const bad = ['Bearer b', 'Token b', basic('a:b'), 'a:b', 'Digest a:b'];
    for (const path of paths) {
      for (const authorization of good) {
        expect((await post(path, line, { authorization })).status, authorization).to.equal(204);
      }
      for (const authorization of bad) {
        expect((await post(path, line, { authorization })).status, authorization).to.equal(401);
      }
    }
    const inQuery: [string, number][] = [
      ['/write?u=x&p=a%3Ab', 204],
      ['/query?q=SHOW%20DATABASES&p=a%3Ab', 200],
      ['/write?p=b', 401],
      ['/api/v2/write?p=a%3Ab', 401],
      ['/api/v1/ingest?p=a%3Ab', 401],
    ];
    for (const [target, status] of inQuery) {
      expect((await post(target)).status, target).to.equal(status);
    }
    expect((await post('/api/v1/ingest', '', { authorization: basic('x:a:b') })).status).to.equal(
      200,
    );
  });

  it('reject a missing token in the route format, and challenge for Bearer only', async () => {
    start({ token: 't' });
    const one = await post('/write');
    const two = await post('/api/v2/write');
    expect(one.body).to.deep.equal({ error: 'authorization failed' });
    expect(two.body).to.deep.equal({ code: 'unauthorized', message: 'authorization failed' });
    for (const { status, headers } of [one, two, await ask('/query?q=x')]) {
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal('Bearer');
      expect(headers.get('x-influxdb-version')).to.equal('1.8-seriesdb/0.0.0-test');
    }
    expect((await post('/api/v2/other')).body).to.include({ code: 'unauthorized', status: 401 });
  });

  it('reject a token without the write scope', async () => {
    start({ named: [{ name: 'reader', scopes: ['read'], digest: digestOf('r') }] });
    const headers = { authorization: 'Token r' };
    const [one, two] = [await post('/write', line, headers), await post(paths[1], line, headers)];
    expect([one.status, two.status]).to.deep.equal([403, 403]);
    expect(two.body).to.include({ code: 'forbidden' });
  });

  it("reject pages of other sites in the protocol's format", async () => {
    start();
    const headers = { origin: 'http://evil.example' };
    const { status, body } = await post('/write', line, headers);
    expect([status, body]).to.deep.equal([
      403,
      { error: 'a page of another site may not use this server' },
    ]);
  });

  it('answer 413 to a body that is too large, and 405 with the allowed methods', async () => {
    start({ maxBodyBytes: 10 });
    expect((await post('/write')).status).to.equal(413);
    const two = await post('/api/v2/write');
    expect(two.status).to.equal(413);
    expect(two.body).to.include({ code: 'request too large' });
    const get = await ask('/api/v2/write');
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST']);
    expect(get.body).to.include({ code: 'method not allowed' });
  });

  it('ask for a retry on temporary errors, also while the database is read-only', async () => {
    start();
    for (const code of ['ingest_backpressure', 'storage_unavailable', 'fenced'] as const) {
      server.storage.beginError = code;
      for (const path of paths) {
        const { status, headers, body } = await post(path);
        expect(status).to.equal(503);
        expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
        if (path !== '/write') expect(body).to.include({ code: 'unavailable' });
      }
    }
  });

  it('answer the requests that clients send before they write', async () => {
    start({ token: 't' });
    const ping = await ask('/ping');
    expect([ping.status, ping.body]).to.deep.equal([204, null]);
    expect((await ask('/ping', { method: 'HEAD' })).status).to.equal(204);
    const verbose = await ask('/ping?verbose=true');
    expect([verbose.status, verbose.body]).to.deep.equal([
      200,
      { version: '1.8-seriesdb/0.0.0-test' },
    ]);
    expect((await ask('/settings')).body).to.deep.equal({
      config: { 'line.proto.support.versions': [1] },
    });
  });

  it('answer statements that create a database, and point others to SeriesQL', async () => {
    start();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const statements: [string, readonly number[]][] = [
      ['CREATE DATABASE "telegraf"', [0]],
      ['create retention policy "a" on "b" duration 1d; ;CREATE DATABASE x;', [0, 1]],
    ];
    for (const [text, ids] of statements) {
      const q = encodeURIComponent(text);
      const answers = [
        await ask(`/query?q=${q}`),
        await ask(`/query?q=${q}`, { method: 'POST' }),
        await post('/query', `db=&q=${q}`, form),
      ];
      for (const { status, body } of answers) {
        expect(status).to.equal(200);
        expect(body).to.deep.equal({ results: ids.map((id) => ({ statement_id: id })) });
      }
    }
    const other = await ask('/query?q=SELECT%20*%20FROM%20cpu');
    expect([other.status, other.body]).to.deep.equal([
      400,
      { error: 'InfluxQL is not supported; use SeriesQL' },
    ]);
    expect((await ask('/query')).body).to.deep.equal({ error: 'missing required parameter "q"' });
  });

  it('are counted by protocol', async () => {
    start();
    await post('/write', `${line}bad\n`);
    await post('/api/v2/write');
    await server.ask('/api/v1/ingest', { body: '{"metric":"m","ts":1,"value":2}\n' });
    const text = await (await server.ask('/metrics')).text();
    for (const shown of [
      'protocol_requests_total{protocol="influx",status="204"} 1',
      'protocol_requests_total{protocol="influx",status="400"} 1',
      'protocol_samples_total{protocol="influx"} 2',
      'protocol_samples_total{protocol="ndjson"} 1',
      'protocol_rejected_total{protocol="influx",code="invalid_record"} 1',
    ]) {
      expect(text).to.contain(`seriesdb_${shown}`);
    }
  });
});

for (const transport of transports) {
  describe(`204 over ${transport.name}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(transport);
    });
    after(() => {
      server.close();
    });

    it('has neither body, length nor type, and the connection stays open', async () => {
      const asks = [
        `POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n${line}`,
        'GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n',
        'HEAD /ping HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ];
      const text = await rawText(server.port, asks);
      expect(text.match(/^HTTP\/1.1 204 No Content\r$/gm)).to.have.length(3);
      expect(text).to.not.match(/content-(length|type)/i);
    });
  });
}

/** Sends each request after the previous answer: answers without a body arrive in one piece. */
async function rawText(port: number, asks: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  for (const ask of asks) {
    socket.write(ask);
    const [piece] = (await once(socket, 'data')) as [Buffer];
    text += piece.toString('latin1');
  }
  socket.destroy();
  return text;
}
