/** The log of slow statements, with a simulated clock. */
import { expect } from 'chai';

import { digestOf } from '../../src/http/auth/token.js';
import {
  startInjected,
  type InjectedServer,
  type TestServerOptions,
} from '../support/http-server.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly statement?: string;
  readonly duration_ms?: number;
  readonly [name: string]: unknown;
}

const path = '/api/v1/seriesql';

describe('the slow query log', () => {
  let server: InjectedServer;
  /** Each reading of the clock advances it by this. */
  let stepMs = 0;
  const start = (options: TestServerOptions): void => {
    let nowMs = 0;
    server = startInjected({ ...options, now: () => (nowMs += stepMs) });
  };
  afterEach(() => {
    server.close();
    stepMs = 0;
  });
  const lines = (): Line[] => server.logLines.map((line) => JSON.parse(line) as Line);

  it("has the statement and its outcome, and replaces the request's log line", async () => {
    const named = [{ name: 'dashboard', scopes: ['read'], digest: digestOf('sesame') }] as const;
    start({ slowQueryMs: 1000, slowRequestMs: 500, named });
    stepMs = 700;
    const headers = { authorization: 'Bearer sesame' };
    const answer = await server.ask(path, { body: 'select 1 as one, 2', headers });
    expect(answer.status).to.equal(200);
    const [line, ...others] = lines();
    expect(others).to.deep.equal([]);
    expect(line?.duration_ms).to.be.at.least(1000);
    expect({ ...line, time: '', duration_ms: 0 }).to.deep.equal({
      time: '',
      duration_ms: 0,
      level: 'warn',
      message: 'slow query',
      request_id: answer.headers.get('x-request-id'),
      method: 'POST',
      route: path,
      caller: 'dashboard',
      status: 200,
      outcome: 'ok',
      statement: 'select 1 as one, 2',
      rows: 1,
      samples: 0,
    });
  });

  it('has the error code', async () => {
    start({ slowQueryMs: 1 });
    stepMs = 10;
    await server.ask(path, { body: 'select nonsense from' });
    expect(lines()).to.have.length(1);
    expect(lines()[0]).to.include({ outcome: 'parse_failed', status: 400, rows: 0 });
  });

  it('has the beginning of a long statement, with control characters escaped', async () => {
    start({ slowQueryMs: 1 });
    stepMs = 10;
    const hidden = "select\n'\u001b[2J\u009b2J\u202e\u2028' as a";
    await server.ask(path, { body: hidden });
    await server.ask(path, { body: `select '${'a'.repeat(5000)}'` });
    await server.ask(path, { body: JSON.stringify({ query: 'select 1' }) });
    const [first, second, third] = lines().map(({ statement }) => statement);
    expect(first).to.equal("select\n'\\u001b[2J\\u009b2J\\u202e\\u2028' as a");
    expect(server.logLines[0]).to.match(/^[\x20-\x7e]+\n$/);
    expect(second).to.equal(`select '${'a'.repeat(992)}…`);
    expect(third).to.equal('select 1');
  });

  it('contains slow statements only', async () => {
    start({ slowQueryMs: 1 });
    await server.ask(path, { body: 'select 1' });
    stepMs = 10;
    await server.ask('/status');
    expect(lines()).to.deep.equal([]);
  });

  it('is off by default, and then no statement is logged', async () => {
    start({ slowRequestMs: 1, logLevel: 'debug' });
    stepMs = 10;
    await server.ask(path, { body: 'select 1234567890123' });
    expect(lines().map(({ message }) => message)).to.deep.equal(['slow request']);
    expect(server.logLines.join('')).not.to.contain('1234567890123');
  });
});
