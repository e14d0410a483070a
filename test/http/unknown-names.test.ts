/** Parameters unknown to a route: refused, or ignored and reported. */
import { expect } from 'chai';

import { routeTable } from '../../src/http/route-table.js';
import { Client } from '../support/client.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

interface Refused {
  readonly error: string;
  readonly code: string;
}

describe('unknown parameters and members', function () {
  this.timeout(60_000);
  let client: Client;
  before(async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    client = new Client(server.port);
    const lines = ['a', 'b'].map((host) =>
      JSON.stringify({ metric: 'cpu', labels: { host }, ts: 1, value: 1 }),
    );
    const { status } = await client.request('POST', '/api/v1/ingest', { body: lines.join('\n') });
    expect(status).to.equal(200);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  const post = (target: string, body: string) => client.request('POST', target, { body });
  const refusalOf = async (target: string, body: string): Promise<Refused> => {
    const { status, body: answer } = await post(target, body);
    expect(status, target).to.equal(400);
    return JSON.parse(answer) as Refused;
  };

  it('are declared strict on every own route below /api/ except GET query/range', () => {
    const lenient = routeTable.routes
      .filter(({ path, protocol }) => path.startsWith('/api/') && protocol === undefined)
      .filter(({ query }) => query?.refusesUnknown !== true)
      .map(({ method, path }) => `${method} ${path}`);
    expect(lenient).to.deep.equal(['GET /api/v1/query/range']);
  });

  it('a misspelt parameter is rejected if ignoring it would change the answer', async () => {
    const misspelt = await refusalOf('/api/v1/seriesql?as-of=now-5m', 'show metrics');
    expect(misspelt.code).to.equal('unknown_field');
    expect(misspelt.error).to.equal('as-of is not known; did you mean as_of?');
    const loose = await refusalOf('/api/v1/ingest?on_eror=skip', '');
    expect(loose.error).to.equal('on_eror is not known; did you mean on_error?');
    const none = await refusalOf('/api/v1/annotations/query?as_of=now', '{}');
    expect(none.error).to.equal('as_of is not known; this route has none');
  });

  it('an unknown member is ignored as specified, and named in Warning', async () => {
    const { status, body, headers } = await post('/api/v1/metrics/find', '{"prefx":"zzz"}');
    expect(status).to.equal(200);
    expect(body).to.contain('"metric":"cpu"');
    const text = 'prefx is not known and was ignored; did you mean prefix?';
    expect(headers['warning']).to.equal(`299 - "${text}"`);
    const hostile = await post('/api/v1/metrics/find', '{"a\\"\\r\\nx: \\u00fc":1}');
    expect(hostile.headers['warning']).to.match(/^299 - "a\\"[\x20-\x7e]* was ignored"$/);
    const plain = await post('/api/v1/metrics/find', '{"prefix":"c"}');
    expect(plain.headers).not.to.have.property('warning');
  });

  it('a rejected request names the ignored members', async () => {
    const { error } = await refusalOf('/api/v1/series/find', '{"metrc":"cpu"}');
    const told = 'metrc is not known and was ignored; did you mean metric?';
    expect(error).to.equal(`metric is required; ${told}`);
    const range = '/api/v1/query/range?start=0&end=9&metric=cpu&host=a';
    const { status, body } = await client.request('GET', range);
    expect(status).to.equal(409);
    expect((JSON.parse(body) as Refused).error).to.contain(
      'labels are one parameter: labels={"host":"…"}',
    );
  });

  it('the error says which method, body and parameters the route accepts', async () => {
    const refused = async (target: string) => (await client.request('GET', target)).body;
    expect(await refused('/api/v1/seriesql')).to.contain('GET is not allowed here, only POST');
    const form = await refusalOf('/api/v1/seriesql', 'query=select 1');
    expect(form).to.include({ code: 'parse_failed' });
    expect(form.error).to.contain('the body is the statement itself');
    const range = '/api/v1/query_range?query=up';
    expect(await refused(range)).to.contain('start is missing');
    expect(await refused(`${range}&start=0&end=9`)).to.contain('step is missing');
  });

  it('as_of in PromQL is rejected by name, in the query string and in a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked = [
      () => client.request('GET', '/api/v1/query?query=cpu&as_of=now-5m'),
      () => client.request('POST', '/api/v1/query?as_of=1', { body: 'query=cpu', headers }),
      () => client.request('POST', '/api/v1/query_range', { body: 'as_of=1&query=cpu', headers }),
      () => client.request('GET', '/api/v1/labels?as_of=1'),
    ];
    for (const ask of asked) {
      const { status, body } = await ask();
      expect(status).to.equal(400);
      expect(body).to.contain('as_of is not a parameter of PromQL');
    }
  });

  it('Prometheus clients may send their own parameters, and misspelt ones are named', async () => {
    const extras = 'timeout=5s&limit=9&stats=&dedup=true&nocache=1&max_source_resolution=5m';
    const more = 'partial_response=true&lookback_delta=5m&_=17&engine=x&trace=1&from=1&to=2';
    const asked = await client.request('GET', `/api/v1/query?query=1&time=1&${extras}&${more}`);
    expect(asked.status).to.equal(200);
    expect(asked.headers).not.to.have.property('warning');
    expect(asked.body).not.to.contain('infos');
    const misspelt = await client.request('GET', '/api/v1/query?query=cpu&tme=1');
    expect(misspelt.status).to.equal(200);
    const text = 'tme is not known and was ignored; did you mean time?';
    expect((JSON.parse(misspelt.body) as { infos: unknown }).infos).to.deep.equal([text]);
    expect(misspelt.headers['warning']).to.equal(`299 - "${text}"`);
  });
});
