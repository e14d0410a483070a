/** Deletions of single times of one series, joined by a flush in time that follows their number. */
import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { Client } from '../support/client.js';
import { seriesqlPath } from '../support/long-query.js';
import { isSanitized, killServers, startServer, temporaryDirectory } from '../support/server.js';

const kDeletions = 40_000;
/** The maximum for a statement's text. */
const kOfStatement = 4_000;

describe('many deletions of one series', function () {
  this.timeout(60_000);
  afterEach(killServers);

  it('are flushed in time linear in their number', async () => {
    const server = await startServer({
      dataDir: temporaryDirectory(),
      args: ['--admin-listen', '127.0.0.1:0', '--fsync', 'none'],
      env: { SERIESDB_ADMIN_ENABLED: 'true' },
    });
    const client = new Client(server.port);
    const flush = async (): Promise<void> => {
      const { status } = await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
      assert.strictEqual(status, 200);
    };
    const lines = Array.from({ length: 2 * kDeletions }, (_, ts) =>
      JSON.stringify({ metric: 'm', ts, value: 1 }),
    );
    await client.ingest(lines.join('\n'));
    await flush();
    for (let from = 0; from < kDeletions; from += kOfStatement) {
      const times = Array.from({ length: kOfStatement }, (_, at) => `time=${2 * (from + at)}`);
      const body = `delete from m where ${times.join(' or ')}`;
      const { status } = await client.request('POST', seriesqlPath, { body });
      assert.strictEqual(status, 200);
    }
    const before = server.cpuSeconds();
    await flush();
    if (!isSanitized) assert.isBelow(server.cpuSeconds() - before, 1.5);
    const body = 'select count(*) from m where time >= 0';
    const counted = await client.request('POST', seriesqlPath, { body });
    assert.include(counted.body, `"rows":[[${kDeletions}]]`);
    client.close();
  });
});
