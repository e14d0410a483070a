import { expect } from 'chai';

import { jsonReply } from '../../src/http/route/reply.js';
import {
  pause,
  startInjected,
  startTestServer,
  transports,
  type InjectedServer,
  type TestServer,
} from '../support/http-server.js';
import { plainTable } from '../support/plain-routes.js';

const routes = plainTable([
  ['GET', '/quick', () => jsonReply('1')],
  [
    'GET',
    '/slow',
    async () => {
      await pause(450);
      return jsonReply('1');
    },
  ],
  [
    'GET',
    '/throws',
    () => {
      throw new Error('a fault');
    },
  ],
]);

interface Line {
  readonly level: string;
  readonly message: string;
  readonly request_id?: string;
  readonly route?: string;
  readonly status?: number;
  readonly duration_ms?: number;
}

const linesOf = (server: InjectedServer): Line[] =>
  server.logLines.map((line) => JSON.parse(line) as Line);

describe('the request log', () => {
  let server: InjectedServer;
  afterEach(() => {
    server.close();
  });

  it('puts the request id into the answer and the log line', async () => {
    server = startInjected({ routes, logLevel: 'debug' });
    const ids = new Set<string>();
    for (const path of ['/quick', '/throws', '/nothing']) {
      const answer = await server.ask(path);
      ids.add(answer.headers.get('x-request-id') ?? '');
    }
    expect(ids).to.have.length(3);
    const ended = linesOf(server).filter(({ message }) => message === 'request');
    expect(ended.map((line) => line.request_id)).to.deep.equal([...ids]);
    expect(ended.map(({ route, status }) => [route, status])).to.deep.equal([
      ['/quick', 200],
      ['/throws', 500],
      ['none', 404],
    ]);
    const fault = linesOf(server).find(({ level }) => level === 'error');
    expect(fault?.request_id).to.equal([...ids][1]);
  });

  it('warns with route and duration about slow requests only', async () => {
    server = startInjected({ routes, slowRequestMs: 400 });
    await server.ask('/quick?token=sesame');
    await server.ask('/slow?token=sesame');
    const lines = linesOf(server);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 'warn', message: 'slow request', route: '/slow' });
    expect(lines[0]?.duration_ms).to.be.within(400, 5000);
  });

  it('holds no token and no query string, at any level', async () => {
    server = startInjected({ token: 'sesame', logLevel: 'debug' });
    for (const token of ['sesame', 'sesame2']) {
      const headers = { authorization: `Bearer ${token}` };
      await server.ask('/api/v1/query/range?auth=sesame&start=1', { headers });
    }
    expect(server.logLines.length).to.be.at.least(2);
    expect(server.logLines.join('')).to.not.contain('sesame');
  });
});

for (const transport of transports) {
  describe(`the request id over ${transport.name}`, () => {
    let server: TestServer;
    afterEach(() => {
      server.close();
    });

    it("is the client's, unless it could forge a log line", async () => {
      server = await startTestServer(transport, { routes });
      const named = async (name: string) => {
        const answer = await fetch(`${server.base}/quick`, { headers: { 'x-request-id': name } });
        return answer.headers.get('x-request-id');
      };
      expect(await named('job-7.a_B')).to.equal('job-7.a_B');
      for (const name of ['a b', 'a"b', 'a'.repeat(65), 'a\tb', '{}']) {
        expect(await named(name)).to.match(/^[0-9a-f]{10}-[0-9a-z]+$/);
      }
    });
  });

  describe(`cross-origin requests over ${transport.name}`, () => {
    const origin = 'https://a.example';
    const preflight = { 'access-control-request-method': 'POST', origin };
    let server: TestServer;
    afterEach(() => {
      server.close();
    });
    const corsHeaders = (answer: Response): string[] =>
      [...answer.headers.keys()].filter((name) => name.startsWith('access-control'));

    it('are refused unless origins are configured', async () => {
      server = await startTestServer(transport, { token: 'sesame' });
      const answer = await fetch(`${server.base}/status`, { headers: { origin } });
      expect([answer.status, corsHeaders(answer)]).to.deep.equal([403, []]);
      const asked = await fetch(`${server.base}/api/v1/ingest`, {
        method: 'OPTIONS',
        headers: preflight,
      });
      expect([asked.status, corsHeaders(asked)]).to.deep.equal([403, []]);
    });

    it('are allowed for the named origins only, errors included', async () => {
      server = await startTestServer(transport, { token: 'sesame', corsOrigins: [origin] });
      const refused = await fetch(`${server.base}/api/v1/ingest`, { headers: { origin } });
      expect(refused.status).to.equal(401);
      expect(refused.headers.get('access-control-allow-origin')).to.equal(origin);
      expect(refused.headers.get('vary')).to.equal('Origin');
      for (const other of ['https://b.example', 'null', 'https://a.example.evil']) {
        const answer = await fetch(`${server.base}/status`, { headers: { origin: other } });
        expect([answer.status, corsHeaders(answer)], other).to.deep.equal([403, []]);
        expect(answer.headers.get('vary')).to.equal('Origin');
      }
    });

    it('start with a preflight that needs no token and runs no route', async () => {
      server = await startTestServer(transport, { token: 'sesame', corsOrigins: [origin] });
      const options = { method: 'OPTIONS', headers: preflight };
      const answer = await fetch(`${server.base}/api/v1/ingest`, options);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('access-control-allow-methods')).to.equal('POST');
      expect(answer.headers.get('access-control-allow-headers')).to.contain('authorization');
      expect(server.storage.lastIngest).to.equal(null);
      const stranger = { ...preflight, origin: 'https://b.example' };
      const refused = await fetch(`${server.base}/api/v1/ingest`, {
        method: 'OPTIONS',
        headers: stranger,
      });
      expect([refused.status, corsHeaders(refused)]).to.deep.equal([403, []]);
    });

    it('are allowed for any origin by "*"', async () => {
      server = await startTestServer(transport, { corsOrigins: ['*'] });
      const answer = await fetch(`${server.base}/status`, { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
      expect(answer.headers.get('vary')).to.equal('Accept-Encoding');
    });
  });
}
