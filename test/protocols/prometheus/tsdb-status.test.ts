/** GET /api/v1/status/tsdb against a real server. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

interface Told {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly headStats: object;
    readonly seriesCountByMetricName: readonly { readonly name: string; readonly value: number }[];
  };
}

for (const unit of ['s', 'ms', 'ns'] as const) {
  describe(`the TSDB status of a database in ${unit}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const zeros = { s: '', ms: '000', ns: '000000000' }[unit];

    before(async () => {
      const env = { SERIESDB_TIMESTAMP_UNIT: unit };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    async function told(query = ''): Promise<Told> {
      const { body } = await client.get(`/api/v1/status/tsdb${query}`);
      return JSON.parse(body) as Told;
    }

    it('has zeros before the first sample', async () => {
      const { status, data } = await told();
      expect(status).to.equal('success');
      expect(data).to.deep.equal({
        headStats: { numSeries: 0, numLabelPairs: 0, chunkCount: 0, minTime: 0, maxTime: 0 },
        seriesCountByMetricName: [],
        labelValueCountByLabelName: [],
        memoryInBytesByLabelName: [],
        seriesCountByLabelValuePair: [],
      });
    });

    it('counts all series, and lists the metrics with the most of them', async () => {
      const lines = [];
      for (let metric = 1; metric <= 15; metric++) {
        for (let at = 0; at < metric; at++) {
          const ts = `${1_700_000_000 + metric}${zeros}`;
          // As a part of the answer, it would be taken for times.
          const name = JSON.stringify(`m${metric}","first_ts":1,"last_ts":2`);
          lines.push(`{"metric":${name},"labels":{"host":"h${at}"},"ts":${ts},"value":1}`);
        }
      }
      const stored = await client.request('POST', '/api/v1/ingest', { body: lines.join('\n') });
      expect(stored.status).to.equal(200);
      const { data } = await told();
      const [minTime, maxTime] = [1_700_000_001_000, 1_700_000_015_000];
      expect(data.headStats).to.deep.include({ numSeries: 120, minTime, maxTime });
      const counted = data.seriesCountByMetricName.map(({ value }) => value);
      expect(counted).to.deep.equal([15, 14, 13, 12, 11, 10, 9, 8, 7, 6]);
      expect(data.seriesCountByMetricName[0]?.name).to.match(/^m15"/);
      const two = await told('?limit=2');
      expect(two.data.seriesCountByMetricName).to.have.length(2);
      expect(two.data.headStats).to.deep.equal(data.headStats);
      expect((await told('?limit=10000')).data.seriesCountByMetricName).to.have.length(15);
    });

    it('rejects a limit that is no number from 1 to 10,000, in Prometheus’ words', async () => {
      for (const limit of ['0', '-1', 'x', '1.5', ' ']) {
        const { status, error } = await told(`?limit=${encodeURIComponent(limit)}`);
        expect([status, error], limit).to.deep.equal(['error', 'limit must be a positive number']);
      }
      expect((await told('?limit=10001')).error).to.equal('limit must not exceed 10000');
    });
  });
}
