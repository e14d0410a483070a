/** PromQL queries are limited, logged, listed and cancelled. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { startInjected } from '../../support/http-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
/** Each of the 11,001 steps sorts 100,000 values. */
const slow = 'quantile_over_time(0.5, vector(1)[100000s:1s])';

describe('PromQL queries', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;
  let admin: Client;

  before(async () => {
    const env = {
      SERIESDB_MAX_QUERY_SERIES: '2',
      SERIESDB_MAX_CONCURRENT_QUERIES: '1',
      SERIESDB_LISTENERS: '1',
      SERIESDB_ADMIN_ENABLED: 'true',
    };
    const args = ['--admin-listen', '127.0.0.1:0'];
    server = await startServer({ dataDir: temporaryDirectory(), args, env });
    client = new Client(server.port);
    admin = new Client(server.adminPort ?? 0);
    const body = ['a', 'b', 'c']
      .map((host) => `{"metric":"m","labels":{"host":"${host}"},"ts":1000,"value":1}\n`)
      .join('');
    expect((await client.request('POST', '/api/v1/ingest', { body })).status).to.equal(200);
  });
  after(async () => {
    client.close();
    admin.close();
    await killServers();
  });

  const get = async (target: string) => {
    const { status, headers, body } = await client.get(`/api/v1/${target}`);
    const told = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return { status, told, retryAfter: headers['retry-after'] };
  };

  it('end with 422 if they exceed a limit', async () => {
    const query = await get('query?query=m&time=1');
    expect(query.status).to.equal(422);
    expect(query.told).to.include({ status: 'error', errorType: 'execution' });
    expect(query.told['error']).to.match(/more than max_query_series/);
    const series = await get('series?match[]=m');
    expect(series.status).to.equal(422);
    expect(series.told['error']).to.match(/more than 2 series.*max_query_series/);
    const some = await get('series?match[]=m&limit=2');
    expect([some.status, some.told['data']]).to.deep.equal([
      200,
      [
        { __name__: 'm', host: 'a' },
        { __name__: 'm', host: 'b' },
      ],
    ]);
    expect((await get('label/host/values')).told['data']).to.deep.equal(['a', 'b', 'c']);
  });

  it('end with 503 on timeout, without Retry-After', async () => {
    const over = await get('query?query=m%7Bhost=%22a%22%7D&time=1&timeout=0');
    expect(over.status).to.equal(503);
    expect(over.told).to.include({ status: 'error', errorType: 'timeout' });
    expect(over.retryAfter).to.equal(undefined);
  });

  it('truncate results at their limit, and warn of it', async () => {
    const cut = await get(
      'query?query=label_replace(vector(1),%22a%22,%221%22,%22%22,%22%22)&limit=1',
    );
    expect(cut.told).to.not.have.property('warnings');
    const both = 'vector(1) or label_replace(vector(1),"a","1","","")';
    const one = await get(`query?query=${encodeURIComponent(both)}&limit=1&time=1`);
    expect(one.told).to.deep.include({ warnings: ['results truncated due to limit'] });
  });

  it('have at most a thousand selectors', async () => {
    const ask = async (count: number): Promise<string> => {
      const body = 'match[]=m&'.repeat(count);
      const answer = await client.request('POST', '/api/v1/series', { body, headers: form });
      return `${answer.status} ${answer.body}`;
    };
    expect(await ask(1001)).to.match(/^400 .*there are 1001; at most 1000 are allowed/);
    expect(await ask(1000)).to.not.match(/^400 /);
  });

  it('are listed by text, and cancelled by an operator or a disconnect', async () => {
    const listed = async (): Promise<readonly { id: number; statement: string }[]> => {
      const { body } = await admin.get('/__admin/queries');
      return (JSON.parse(body) as { queries: { id: number; statement: string }[] }).queries;
    };
    const target = '/api/v1/query_range';
    const body = `query=${encodeURIComponent(slow)}&start=0&end=11000&step=1`;
    const running = client.request('POST', target, { body, headers: form });
    let found = await listed();
    while (found.length === 0) found = await listed();
    const [first] = found;
    expect(first?.statement).to.equal(slow);
    await admin.request('DELETE', `/__admin/queries/${String(first?.id)}`);
    const ended = await running;
    expect(ended.status, ended.body).to.equal(503);
    expect(JSON.parse(ended.body)).to.include({ status: 'error', errorType: 'canceled' });
    const aborted = new AbortController();
    const left = fetch(`http://127.0.0.1:${server.port}${target}?${body}`, {
      signal: aborted.signal,
    }).catch(() => null);
    while ((await listed()).length === 0);
    aborted.abort();
    await left;
    while ((await listed()).length > 0);
  });
});

describe('the slow query log', () => {
  it('has the text of a PromQL query', async () => {
    let nowMs = 0;
    const server = startInjected({ slowQueryMs: 1, now: () => (nowMs += 10) });
    const answer = await server.ask('/api/v1/query?query=1%2B1&time=1');
    expect(await answer.json()).to.deep.include({ status: 'success' });
    await server.ask('/api/v1/query?query=1%2B');
    server.close();
    const lines = server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const shown = lines.map(({ message, statement, outcome }) => [message, statement, outcome]);
    expect(shown).to.deep.equal([
      ['slow query', '1+1', 'ok'],
      ['slow query', '1+', 'parse_failed'],
    ]);
  });
});
