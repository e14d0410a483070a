/** Times of remote_write, which are milliseconds, in databases of other units. */
import { assert } from 'chai';

import { Client } from '../../support/client.js';
import { snappy, writeRequest } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory } from '../../support/server.js';
import { pointsOf } from '../influx/stored.js';

describe('times of remote_write', function () {
  this.timeout(60_000);
  afterEach(killServers);

  const cases = [
    ['s', [[1n, 2]], ['"protocol":"remote_write","precision":"ms","timestamp_unit":"s"']],
    [
      'ms',
      [
        [1000n, 0],
        [1500n, 1],
        [1999n, 2],
      ],
      [],
    ],
  ] as const;
  for (const [unit, points, warnings] of cases) {
    it(`unit ${unit}: ${points.length} of 3 samples a second stay, with one warning`, async () => {
      const env = { SERIESDB_TIMESTAMP_UNIT: unit };
      const server = await startServer({ dataDir: temporaryDirectory(), env });
      const client = new Client(server.port);
      for (const name of ['up', 'down']) {
        const samples = [1000, 1500, 1999].map((ts, value) => [ts, value] as const);
        const { status } = await client.request('POST', '/api/v1/write', {
          body: snappy(writeRequest([{ labels: { __name__: name }, samples }])),
          headers: { 'content-encoding': 'snappy' },
        });
        assert.strictEqual(status, 204);
      }
      await client.request('POST', '/api/v1/ingest', { body: '{"metric":"m","ts":1,"value":1}' });
      client.close();
      assert.deepEqual(await pointsOf(server.port, 'up', {}), [...points]);
      const printed = server.printed().split('\n');
      const told = printed.filter((line) => line.includes('keeps only the last sample per second'));
      assert.lengthOf(told, warnings.length);
      warnings.forEach((warning, at) => {
        assert.include(told[at], warning);
      });
    });
  }
});
