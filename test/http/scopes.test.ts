/** The rights of a token by its scopes, on every route. */
import { expect } from 'chai';

import { digestOf, tokenScopes, type TokenEntry } from '../../src/http/auth/token.js';
import { routeTable } from '../../src/http/route-table.js';
import { startInjected, type InjectedServer } from '../support/http-server.js';

const named: readonly TokenEntry[] = tokenScopes.map((scope) => ({
  name: `only-${scope}`,
  scopes: [scope],
  digest: digestOf(scope),
}));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function codeOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
}

interface Line {
  readonly message: string;
  readonly level: string;
  readonly left_out?: number;
  readonly [field: string]: unknown;
}

describe('the scopes of tokens', () => {
  let server: InjectedServer;
  let now = 0;
  beforeEach(() => {
    now = 0;
    const clock = (): number => now;
    server = startInjected({ named, token: 'all', logLevel: 'debug', now: clock });
  });
  afterEach(() => {
    server.close();
  });

  const lines = (): Line[] => server.logLines.map((line) => JSON.parse(line) as Line);
  const warned = (): Line[] => lines().filter(({ level }) => level === 'warn');

  /** The scopes that a route accepts. */
  async function passing(
    method: string,
    path: string,
    isForeign: boolean,
  ): Promise<readonly string[]> {
    const passed: string[] = [];
    for (const token of tokenScopes) {
      const body = method === 'POST' ? { body: '' } : {};
      const answer = await server.ask(path, { method, headers: bearer(token), ...body });
      // Foreign protocols have their own refusals.
      if (answer.status !== 403) passed.push(token);
      else if (!isForeign) expect(await codeOf(answer)).to.equal('forbidden_scope');
    }
    return passed;
  }

  it('are required by each route as declared', async () => {
    const writers = ['/api/v1/annotations/write', '/api/v1/boards/write'];
    writers.push('/api/v1/annotations/update', '/api/v1/annotations/delete');
    writers.push('/api/v1/boards/update', '/api/v1/boards/delete');
    for (const { method, path, scope, protocol, body, tag } of routeTable.routes) {
      // Every body of samples is stored.
      const isStored = body?.kind === 'stream';
      expect(isStored, path).to.equal(tag === 'write');
      const isWriter = isStored || writers.includes(path);
      const isAny = scope === 'public' || scope === 'status' || scope === 'token';
      const wanted = isAny ? [...tokenScopes] : [isWriter ? 'write' : 'read'];
      const passed = await passing(method, path, protocol !== undefined);
      expect(passed, path).to.deep.equal(wanted);
    }
  });

  it('are required by routes that reveal metric names, and by a protected status', async () => {
    const statusOf = async (path: string, token?: string): Promise<number> => {
      const headers = token === undefined ? {} : bearer(token);
      return (await server.ask(path, { headers })).status;
    };
    expect(await statusOf('/debug/compat/catalog')).to.equal(401);
    expect(await statusOf('/debug/compat/catalog', 'read')).to.equal(200);
    expect(await statusOf('/debug/compat/nothing')).to.equal(401);
    expect(await statusOf('/debug/compat/stats')).to.equal(200);
    for (const path of ['/status', '/metrics']) expect(await statusOf(path), path).to.equal(200);
    server.close();
    server = startInjected({ named, token: 'all', opensStatus: false });
    for (const path of ['/status', '/metrics']) {
      expect(await statusOf(path), path).to.equal(401);
      expect(await statusOf(path, 'nobody'), path).to.equal(401);
      expect(await statusOf(path, 'write'), path).to.equal(403);
      expect(await statusOf(path, 'read'), path).to.equal(200);
    }
    expect(await statusOf('/healthz')).to.equal(200);
    server.close();
    server = startInjected({ opensStatus: false });
    expect(await statusOf('/status')).to.equal(200);
  });

  it('are required by a statement once it is parsed', async () => {
    const run = async (token: string, statement: string): Promise<string> =>
      codeOf(await server.ask('/api/v1/seriesql', { body: statement, headers: bearer(token) }));
    const reads = ['select * from m', 'show metrics', 'explain select * from m'];
    const writes = ['insert into m (time, value) values (1, 2)', 'delete from m where time = 1'];
    for (const [statements, mayRun, mayNot] of [
      [[...reads, 'explain delete from m where time = 1'], 'read', 'write'],
      [writes, 'write', 'read'],
    ] as const) {
      for (const statement of statements) {
        for (const token of [mayRun, 'all']) {
          expect(await run(token, statement), `${token}: ${statement}`).to.not.match(
            /^(forbidden|unauthorized|parse)/,
          );
        }
        for (const token of [mayNot, 'admin']) {
          expect(await run(token, statement), `${token}: ${statement}`).to.equal('forbidden_scope');
        }
      }
    }
    expect(await run('read', 'selekt')).to.equal('parse_failed');
    expect(await run('none', 'show metrics')).to.equal('unauthorized');
  });

  it('make no difference for an unknown path', async () => {
    for (const token of tokenScopes) {
      const answer = await server.ask('/api/v1/nothing', { headers: bearer(token) });
      expect(answer.status).to.equal(404);
    }
    expect((await server.ask('/api/v1/nothing')).status).to.equal(401);
  });

  it('are logged with the name of the token, never with its secret', async () => {
    await server.ask('/api/v1/metrics', { body: '{}', headers: bearer('read') });
    await server.ask('/api/v1/metrics', { body: '{}', headers: bearer('all') });
    await server.ask('/status', { headers: bearer('read') });
    const callers = lines().map(({ caller }) => caller);
    expect(callers).to.deep.equal(['only-read', 'setting:auth_token', undefined]);
    expect(server.logLines.join('')).to.not.contain('earer');
  });

  it('log a refusal with the address, the reason and the name', async () => {
    const headers = bearer('read');
    await server.ask('/api/v1/ingest', { body: 'x', headers, peerAddress: '10.0.0.7' });
    await server.ask('/api/v1/ingest', {
      body: 'x',
      headers: bearer('sesame'),
      peerAddress: '10.0.0.8',
    });
    expect(warned().map(({ message }) => message)).to.deep.equal(
      Array(2).fill('a request was refused'),
    );
    expect(warned()[0]).to.include({
      ...{ address: '10.0.0.7', code: 'forbidden_scope', caller: 'only-read' },
    });
    expect(warned()[1]).to.include({ address: '10.0.0.8', code: 'unauthorized' });
    expect(warned()[1]).to.not.have.property('caller');
    expect(server.logLines.join('')).to.not.contain('sesame');
  });

  it('log ten refusals in ten seconds, then the number of suppressed ones', async () => {
    const ask = (): Promise<Response> => server.ask('/api/v1/ingest', { body: 'x' });
    for (let count = 0; count < 14; count += 1) await ask();
    expect(warned()).to.have.length(10);
    now = 9_999;
    await ask();
    expect(warned()).to.have.length(10);
    now = 10_000;
    await ask();
    await ask();
    expect(warned().map((line) => line.left_out)).to.deep.equal([
      ...Array<undefined>(10).fill(undefined),
      5,
      undefined,
    ]);
  });
});
