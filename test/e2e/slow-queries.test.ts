/** Slow statements in the log of a real server. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'chai';

import {
  ask,
  startConfigured,
  transportNames,
  type ConfiguredServer,
} from '../support/admin-server.js';
import { Client } from '../support/client.js';
import { askAndWait, bigLines, heavyQueries, seriesqlPath as path } from '../support/long-query.js';
import { killServers, removeDirectory } from '../support/server.js';

interface Line {
  readonly message: string;
  readonly [name: string]: unknown;
}

for (const transport of transportNames) {
  describe(`slow statements over ${transport}`, function () {
    this.timeout(60_000);
    const settings = 'query_timeout_ms = 1000\n';
    let configured: ConfiguredServer;
    let client: Client;
    before(async () => {
      configured = await startConfigured(transport, settings);
      client = new Client(configured.server.port);
      for (const lines of bigLines()) await client.ingest(lines);
    });
    after(async () => {
      client.close();
      await killServers();
      removeDirectory(configured.dataDir);
    });
    const logged = (): Line[] =>
      configured.server
        .printed()
        .split('\n')
        .filter((line) => line.includes('"slow query"'))
        .map((line) => JSON.parse(line) as Line);
    /** The only one since `before`, when it is written. */
    const nextLine = async (before: number): Promise<Line | undefined> => {
      while (logged().length <= before) await sleep(10);
      return logged()[before];
    };
    const query = (body: string) => client.request('POST', path, { body });

    it('are logged after a reload enables it', async () => {
      const statement = 'select count(value) from big where time >= 0';
      expect((await query(statement)).status).to.equal(200);
      configured.rewrite(`${settings}slow_query_ms = 1\n`);
      await ask(configured.server.adminPort, '/__admin/reload', { method: 'POST' });
      expect(logged()).to.deep.equal([]);
      const answer = await query('select time, value from big where time >= 0 and value > 1');
      expect(answer.status).to.equal(200);
      expect(await nextLine(0)).to.include({
        outcome: 'ok',
        status: 200,
        request_id: answer.headers['x-request-id'],
        rows: 399_992,
        samples: 400_000,
      });
    });

    it('are logged as timed out', async () => {
      const before = logged().length;
      expect((await query(heavyQueries.compiled)).status).to.equal(504);
      const line = await nextLine(before);
      expect(line).to.include({ outcome: 'query_timeout', status: 504 });
      expect(line?.['statement']).to.have.length(1001);
    });

    it('are logged as abandoned by the client', async () => {
      const before = logged().length;
      const leave = await askAndWait(configured.server.port, heavyQueries.compiled);
      await sleep(50);
      leave();
      expect(await nextLine(before)).to.include({ outcome: 'cancelled', status: 0 });
    });
  });
}
