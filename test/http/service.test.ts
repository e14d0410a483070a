import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { jsonReply } from '../../src/http/route/reply.js';
import {
  anyConnections,
  anyUnread,
  pause,
  sendRaw,
  startInjected,
  startTestServer,
  transports,
  type InjectedServer,
  type TestServer,
} from '../support/http-server.js';
import { plainTable } from '../support/plain-routes.js';

const never = new Promise<never>(() => undefined);

const oddRoutes = plainTable([
  [
    'GET',
    '/throws',
    () => {
      throw new Error('secret path /etc');
    },
  ],
  ['GET', '/rejects', () => Promise.reject(new Error('secret path /etc'))],
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the case under test
  ['GET', '/rejects-nothing', () => Promise.reject(undefined)],
  ['GET', '/never', () => never],
  ['POST', '/never', () => never],
  [
    'GET',
    '/late',
    async () => {
      await pause(100);
      return jsonReply('"late"');
    },
  ],
  [
    'GET',
    '/conflict',
    () => {
      throw new AppError('ambiguous_selector', '2 series');
    },
  ],
]);

describe('the state of the server', () => {
  let server: InjectedServer;
  before(() => {
    server = startInjected({ token: 'sesame' });
  });
  after(() => {
    server.close();
  });

  it('shows every field of the status and every metric', async () => {
    const status = (await (await server.ask('/status')).json()) as {
      status: string;
      runtime: Record<string, number>;
      compatibility_debt: Record<string, number>;
      memory: Record<string, number>;
      storage: Record<string, number>;
    };
    expect(status.status).to.equal('ok');
    expect(Object.keys(status.runtime)).to.have.length(27);
    const text = await (await server.ask('/metrics')).text();
    const { runtime, compatibility_debt: debt, memory, storage } = status;
    expect(storage).to.include.keys('series', 'segments', 'segment_bytes');
    for (const name of Object.keys({ ...runtime, ...debt, ...memory })) {
      expect(text).to.match(new RegExp(`^# TYPE seriesdb_${name} (counter|gauge)$`, 'm'));
    }
    expect(text).to.contain('seriesdb_up 1\n').and.contain('seriesdb_build_info{version=');
    expect(text).to.contain('seriesdb_segment_bytes 7\n');
  });

  it('is degraded and not ready when the storage gives a reason', async () => {
    server.storage.reasons.push('a segment is damaged');
    expect((await server.ask('/readyz')).status).to.equal(200);
    server.storage.reasons[0] = 'the disk is full';
    server.storage.writesBlocked = 1;
    const status = await (await server.ask('/status')).json();
    expect(status).to.include({ status: 'degraded' });
    expect(status).to.have.deep.property('reasons', ['the disk is full']);
    const unready = await server.ask('/readyz');
    // The refusal of a write has none either: waiting frees no disk space.
    expect([unready.status, unready.headers.get('retry-after')]).to.deep.equal([503, null]);
    const failing = await server.ask('/health');
    expect([failing.status, await failing.json()]).to.deep.equal([
      503,
      {
        ...{ name: 'seriesdb', status: 'fail', message: 'the disk is full' },
        ...{ checks: [], version: '0.0.0-test' },
      },
    ]);
    expect((await server.ask('/healthz')).status).to.equal(200);
    server.storage.reasons.length = 0;
    server.storage.writesBlocked = 0;
    expect((await server.ask('/readyz')).status).to.equal(200);
    expect(await (await server.ask('/health')).json()).to.include({ status: 'pass' });
  });
});

for (const transport of transports) {
  describe(`the wrapper of every route over ${transport.name}`, () => {
    let server: TestServer;
    beforeEach(async () => {
      const times = { answerMs: 150, bodySilenceMs: 150, sweepMs: 50 };
      server = await startTestServer(transport, { routes: oddRoutes, times });
    });
    afterEach(() => {
      server.close();
    });

    it('answers 500 to a throw and a rejection, without the message', async () => {
      for (const path of ['/throws', '/rejects', '/rejects-nothing']) {
        const answer = await fetch(server.base + path);
        expect(await answer.json()).to.deep.equal({
          error: 'the server met an internal error',
          code: 'internal_error',
          status: 500,
        });
      }
      expect(server.logLines.join('')).to.contain('secret path');
    });

    it('answers 503 for a route that never answers', async () => {
      const answer = await fetch(`${server.base}/never`);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([
        503,
        'request_timeout',
      ]);
    });

    it('answers 408 for a body that stops arriving, and closes', async () => {
      const raw = await sendRaw(
        server.port,
        ['POST /never HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc'],
        2_000,
      );
      expect(raw.text).to.contain('HTTP/1.1 408 Request Timeout');
      expect(raw.text).to.contain('"code":"body_timeout"');
      expect(raw.isClosed).to.equal(true);
    });

    it('survives a client that disconnects before the answer', async () => {
      await sendRaw(server.port, ['GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n'], 10);
      await pause(200);
      expect((await fetch(`${server.base}/late`)).status).to.equal(200);
    });

    it('finishes running requests when it drains, then closes their connections', async () => {
      const answer = fetch(`${server.base}/late`);
      await pause(30);
      await server.service.drain(1000);
      expect((await answer).headers.get('connection')).to.equal('close');
    });
  });

  describe(`heads, paths and methods over ${transport.name}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(transport, { token: 'sesame' });
    });
    after(() => {
      server.close();
    });

    const post =
      'POST /api/v1/ingest HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sesame\r\n';
    const refused: readonly (readonly [string, string])[] = [
      ['two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n\n`],
      ['two equal lengths', `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\n\n`],
      [
        'a length and chunks',
        `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      ['an unknown transfer encoding', `${post}Transfer-Encoding: gzip\r\n\r\n`],
      ['an encoding under the chunks', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      ['two hosts', `${post}Host: b\r\nContent-Length: 0\r\n\r\n`],
      ['two tokens', `${post}Authorization: Bearer other\r\nContent-Length: 0\r\n\r\n`],
      ['a length that is no number', `${post}Content-Length: x\r\n\r\n`],
    ];
    for (const [what, head] of refused) {
      it(`answers 400 to ${what} and closes`, async () => {
        const raw = await sendRaw(server.port, [
          head,
          'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
        ]);
        expect(raw.text).to.match(/^HTTP\/1.1 400 /);
        expect(raw.text).to.not.contain('HTTP/1.1 200');
        expect(raw.isClosed).to.equal(true);
      });
    }

    it('answers 400 to a head without a host and closes', async () => {
      const raw = await sendRaw(server.port, ['GET /healthz HTTP/1.1\r\n\r\n']);
      expect(raw.text).to.match(/^HTTP\/1.1 400 /);
      expect(raw.isClosed).to.equal(true);
      // Refusals of uWebSockets.js itself have their own text.
      if (transport.name === 'node') expect(raw.text).to.contain('"code":"invalid_request"');
    });

    it('answers CONNECT with an error', async () => {
      const raw = await sendRaw(server.port, [
        'CONNECT /status HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ]);
      expect(raw.text).to.match(/^HTTP\/1.1 (400|405) /);
      expect(raw.text).to.match(/"code":"(invalid_request|method_not_allowed)"/);
    });

    it('rejects an unknown expectation', async () => {
      const head = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\n\r\n';
      const raw = await sendRaw(server.port, [head]);
      expect(raw.text).to.match(/^HTTP\/1.1 417 /);
    });

    it('runs no request hidden behind two lengths', async () => {
      const hidden = `${post}Content-Length: 0\r\n\r\n`;
      const outer = `${post}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n`;
      const raw = await sendRaw(server.port, [outer + hidden]);
      expect(raw.text).to.not.contain('ingested');
      expect(raw.isClosed).to.equal(true);
    });

    it('checks the token under /api/ before routing and before the body', async () => {
      for (const path of ['/api/v1/ingest', '/api/nothing']) {
        for (const headers of [
          {},
          { authorization: 'Bearer wrong' },
          { authorization: 'sesame' },
        ]) {
          const answer = await fetch(server.base + path, { method: 'POST', body: '{bad', headers });
          expect(answer.status).to.equal(401);
          expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
          expect(Object.keys((await answer.json()) as object)).to.deep.equal([
            'error',
            'code',
            'status',
          ]);
        }
      }
      const headers = { authorization: 'bearer sesame' };
      expect((await fetch(`${server.base}/api/nothing`, { headers })).status).to.equal(404);
      expect((await fetch(`${server.base}/status`)).status).to.equal(200);
    });

    it('answers 404 and 405 with Allow', async () => {
      const unknown = await fetch(`${server.base}/nothing`);
      expect(await unknown.json()).to.deep.equal({
        error: 'no such path',
        code: 'not_found',
        status: 404,
      });
      const wrong = await fetch(`${server.base}/status`, { method: 'DELETE' });
      expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    });

    it('answers HEAD on every GET route, without a body', async () => {
      const raw = await sendRaw(server.port, [
        'HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
        'HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n',
      ]);
      expect(raw.text.match(/HTTP\/1.1 200/g)).to.have.length(2);
      expect(raw.text).to.not.contain('{"status"').and.not.contain('# HELP');
      expect(raw.text.toLowerCase()).to.contain('content-length: 15');
    });

    it('names the address when the port is taken', async () => {
      const address = { host: '127.0.0.1', port: server.port };
      const served = { connections: anyConnections, unread: anyUnread() };
      const rest = { ...served, tls: null, accept: () => undefined };
      const failure = await transport.listen({ ...rest, address }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(AppError);
      expect(String(failure)).to.contain(`127.0.0.1:${server.port}`);
    });
  });
}
