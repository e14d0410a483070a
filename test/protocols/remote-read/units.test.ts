/** Times of remote_read, which are milliseconds, in databases of other units. */
import { assert } from 'chai';

import { Client } from '../../support/client.js';
import { remoteRead } from '../../support/remote-read.js';
import { killServers, startServer, temporaryDirectory } from '../../support/server.js';

/** Times in the unit, and the range in milliseconds, both ends inclusive, that returns them. */
const cases = [
  ['s', ['-2', '0', '1', '2'], [-2000, 1999], [-2000, 0, 1000]],
  ['s', ['1', '2', '3'], [1001, 2000], [2000]],
  ['us', ['-1', '0', '999', '1000', '2999', '3000'], [-1, 2], [-1, 0, 1, 2]],
  ['us', ['999', '1000', '1999', '2000'], [1, 1], [1]],
  ['ns', ['-1', '999999', '1000000', '1999999', '2000000'], [-1, 1], [-1, 0, 1]],
] as const;

describe('times of remote_read', function () {
  this.timeout(60_000);
  afterEach(killServers);

  for (const [unit, times, [start, end], expected] of cases) {
    it(`unit ${unit}: ${start} to ${end} ms`, async () => {
      const env = { SERIESDB_TIMESTAMP_UNIT: unit };
      const server = await startServer({ dataDir: temporaryDirectory(), env });
      const client = new Client(server.port);
      const body = times.map((ts) => `{"metric":"m","ts":${ts},"value":${ts}}`).join('\n');
      assert.strictEqual((await client.request('POST', '/api/v1/ingest', { body })).status, 200);
      client.close();
      const [found = []] = await remoteRead(server.port, [{ start, end, matchers: [] }]);
      assert.deepEqual(
        found.map(({ samples }) => samples.map(({ ts }) => Number(ts))),
        [[...expected]],
      );
    });
  }
});
