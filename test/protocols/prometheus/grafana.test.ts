/** The requests that Grafana and promtool send to a data source, against a real server. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { snappy, writeRequest } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const baseMs = 1_700_000_000_000;
const base = baseMs / 1000;
const form = 'application/x-www-form-urlencoded';

interface Told {
  readonly data: {
    readonly stats?: {
      readonly timings: Readonly<Record<string, number>>;
      readonly samples: Readonly<Record<string, number>>;
    };
  };
}

for (const transport of ['uws', 'node'] as const) {
  describe(`the Prometheus API, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;

    before(async () => {
      const env = { SERIESDB_TRANSPORT: transport };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
      const samples = Array.from({ length: 5 }, (_, i) => [baseMs + i * 15_000, i] as const);
      const series = ['a', 'b'].map((job) => ({
        labels: { __name__: 'up', job, instance: `${job}:9090` },
        samples,
      }));
      const { status } = await client.request('POST', '/api/v1/write', {
        body: snappy(writeRequest(series)),
        headers: { 'content-encoding': 'snappy' },
      });
      expect(status).to.equal(204);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    async function told(method: string, target: string, body?: string): Promise<unknown> {
      const headers = { 'content-type': form };
      const options = body === undefined ? {} : { body, headers };
      const answer = await client.request(method, target, options);
      expect(answer.status, answer.body).to.equal(200);
      expect(answer.headers['content-type']).to.equal('application/json');
      return JSON.parse(answer.body) as unknown;
    }
    const get = (target: string) => told('GET', target);
    const post = (target: string, body: string) => told('POST', target, body);
    const success = (data: unknown) => ({ status: 'success', data });

    it('answers the probe of a data source', async () => {
      expect(await post('/api/v1/query', `query=1%2B1&time=${base}.123`)).to.deep.equal(
        success({ resultType: 'scalar', result: [base + 0.123, '2'] }),
      );
    });

    it('evaluates end() at the end of the range, even between steps', async () => {
      // Steps at 0, 20 and 40 s; the newest sample of the range is that of 45 s.
      const range = `start=${base}&end=${base + 55}&step=20`;
      for (const [text, value] of [
        ['up{job="a"} @ end()', '3'],
        ['up{job="a"} @ end() offset 15s', '2'],
        ['last_over_time(up{job="a"}[1m] @ end())', '3'],
        ['last_over_time(up{job="a"}[30s:5s] @ end())', '3'],
        ['last_over_time((up{job="a"} @ end())[30s:5s])', '3'],
        ['up{job="a"} @ start()', '0'],
      ] as const) {
        const asked = `query=${encodeURIComponent(text)}&${range}`;
        const { data } = (await get(`/api/v1/query_range?${asked}`)) as {
          data: { result: readonly { readonly values: unknown }[] };
        };
        const values = [0, 20, 40].map((after) => [base + after, value]);
        expect(
          data.result.map((row) => row.values),
          text,
        ).to.deep.equal([values]);
      }
    });

    it('returns query statistics on request', async () => {
      const range = `start=${base}&end=${base + 60}&step=15`;
      const asked = `query=${encodeURIComponent('sum(up)')}&${range}`;
      const plain = (await get(`/api/v1/query_range?${asked}`)) as Told;
      const { data } = (await get(`/api/v1/query_range?${asked}&stats=all`)) as Told;
      const { stats, ...rest } = data;
      expect(rest).to.deep.equal(plain.data);
      const { timings, samples } = stats ?? expect.fail('there are none');
      expect(samples).to.deep.equal({ totalQueryableSamples: 10, peakSamples: 5 });
      expect(timings['evalTotalTime']).to.be.greaterThan(0);
      expect(timings['execQueueTime']).to.be.at.least(0);
      const scalar = (await get('/api/v1/query?query=1&stats=true')) as Told;
      expect(scalar.data.stats?.samples['totalQueryableSamples']).to.equal(0);
      const none = (await get(`/api/v1/query_range?${asked}&stats=`)) as Told;
      expect(none).to.deep.equal(plain);
    });

    it('reports its version, and that it is not Mimir', async () => {
      const { data } = (await get('/api/v1/status/buildinfo')) as { data: Record<string, string> };
      expect(data['version']).to.match(/^3\.5\.0-seriesdb-\d/);
      expect(data['application']).to.equal('seriesdb');
      const others = ['revision', 'branch', 'buildUser', 'buildDate', 'goVersion'];
      expect(data).to.have.all.keys('version', 'application', ...others);
    });

    it('answers the lists of a query editor', async () => {
      const range = `start=${base}&end=${base + 60}`;
      const names = success(['__name__', 'instance', 'job']);
      expect(await get(`/api/v1/labels?${range}`)).to.deep.equal(names);
      expect(await post('/api/v1/labels', `${range}&match%5B%5D=up`)).to.deep.equal(names);
      expect(await get(`/api/v1/label/__name__/values?${range}&limit=40000`)).to.deep.equal(
        success(['up']),
      );
      const match = encodeURIComponent('{__name__="up",instance=~".+"}');
      expect(await get(`/api/v1/label/job/values?${range}&match[]=${match}`)).to.deep.equal(
        success(['a', 'b']),
      );
      expect(await get(`/api/v1/label/nothing/values?${range}`)).to.deep.equal(success([]));
      expect(await post('/api/v1/series', `${range}&match[]=up%7Bjob%3D%22a%22%7D`)).to.deep.equal(
        success([{ __name__: 'up', instance: 'a:9090', job: 'a' }]),
      );
      expect(await get('/api/v1/metadata?limit=40000')).to.deep.equal(success({}));
    });

    it('answers a panel query with form parameters', async () => {
      const query = encodeURIComponent('sum by (job) (up)');
      const body = `query=${query}&start=${base}&end=${base + 60}&step=30s`;
      expect(await post('/api/v1/query_range', body)).to.deep.equal(
        success({
          resultType: 'matrix',
          result: ['a', 'b'].map((job) => ({
            metric: { job },
            values: [
              [base, '0'],
              [base + 30, '2'],
              [base + 60, '4'],
            ],
          })),
        }),
      );
      const instant = `query=up%7Bjob%3D%22b%22%7D&time=${base + 15}`;
      expect(await get(`/api/v1/query?${instant}`)).to.deep.equal(
        success({
          resultType: 'vector',
          result: [
            {
              metric: { __name__: 'up', instance: 'b:9090', job: 'b' },
              value: [base + 15, '1'],
            },
          ],
        }),
      );
      expect(await get(`/api/v1/query?query=nothing`)).to.deep.equal(
        success({ resultType: 'vector', result: [] }),
      );
    });

    it('formats an expression', async () => {
      expect(await post('/api/v1/format_query', 'query=sum(up)by(job)')).to.deep.equal(
        success('sum by (job) (up)'),
      );
    });

    it('has no rules, alerts and exemplars', async () => {
      expect(await get('/api/v1/rules?type=alert')).to.deep.equal(success({ groups: [] }));
      expect(await get('/api/v1/alerts')).to.deep.equal(success({ alerts: [] }));
      const exemplars = success([]);
      expect(await get('/api/v1/query_exemplars?query=up&start=1&end=2')).to.deep.equal(exemplars);
      expect(await post('/api/v1/query_exemplars', 'query=up')).to.deep.equal(exemplars);
    });

    it('prefers form parameters to those of the query string', async () => {
      const valueOf = async (target: string, body?: string): Promise<unknown> => {
        const answer = await (body === undefined ? get(target) : post(target, body));
        return (answer as { data: { result: unknown } }).data.result;
      };
      expect(await valueOf('/api/v1/query?query=1&time=5', 'time=6')).to.deep.equal([6, '1']);
      expect(await valueOf('/api/v1/query?query=1&time=5', '')).to.deep.equal([5, '1']);
      expect(await valueOf('/api/v1/query?query=1', 'query=2&time=7')).to.deep.equal([7, '2']);
      const both = await post(
        '/api/v1/series?match[]=up{job="a"}'.replaceAll('"', '%22'),
        'match[]=up',
      );
      expect((both as { data: unknown[] }).data).to.have.length(2);
    });

    it('rejects or merges series with equal labels', async () => {
      const line = (metric: string, labels: object, i: number): string =>
        JSON.stringify({ metric, labels, ts: baseMs + i * 60_000, value: i });
      const host = 'x';
      const lines = [
        ...[line('twice', { host, __name__: 'other' }, 1), line('twice', { host }, 1)],
        ...[line('turns', { host, __name__: 'other' }, 1), line('turns', { host }, 9)],
        line('sums_total', { host, __name__: 'one' }, 1),
        line('sums_total', { host, __name__: 'other' }, 1),
      ];
      const stored = await client.request('POST', '/api/v1/ingest', { body: lines.join('\n') });
      expect(stored.status, stored.body).to.equal(200);
      const range = `start=${base}&end=${base + 600}&step=60`;
      const of = (query: string) =>
        `/api/v1/query_range?query=${encodeURIComponent(query)}&${range}`;
      const same = 'vector cannot contain metrics with the same labelset';
      for (const query of ['twice', 'sum_over_time(sums_total[5m])', 'twice >= 1']) {
        const refused = await client.request('GET', of(query));
        expect(refused.status, refused.body).to.equal(422);
        expect(refused.body).to.include(same);
      }
      const at = `/api/v1/query?query=twice&time=${base + 60}`;
      expect((await client.request('GET', at)).status).to.equal(422);
      expect(await get(of('turns'))).to.deep.equal(
        success({
          resultType: 'matrix',
          result: [
            {
              metric: { __name__: 'turns', host },
              values: [1, 2, 3, 4, 5, 9, 10].map((i) => [base + i * 60, i < 9 ? '1' : '9']),
            },
          ],
        }),
      );
    });
  });
}
