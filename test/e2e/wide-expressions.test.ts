/**
 * An expression of thousands of operands reads all of them at the same time. Too many of these at
 * once are refused by name before they fill the heap, and leave room behind them.
 */
import { expect } from 'chai';

import { Client, type Answer } from '../support/client.js';
import {
  isSanitized,
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

/** A chain has at most 4,096 operators. */
const wide = Array.from({ length: 4000 }, (_, at) => `m${at}`);
const chains = { or: wide.join(' or '), and: wide.join(' and '), sum: wide.join(' + ') };

describe('expressions of thousands of operands', function () {
  this.timeout(120_000);
  const dataDir = temporaryDirectory();
  after(async () => {
    await killServers();
    removeDirectory(dataDir);
  });

  for (const [name, query] of Object.entries(chains)) {
    it(`do not crash a server with a small heap: ${name}`, async function () {
      if (isSanitized) this.skip();
      // With one listener the first thread evaluates all of them.
      const env = { NODE_OPTIONS: '--max-old-space-size=192' };
      const server = await startServer({ dataDir, env });
      const ask = async (): Promise<Answer> => {
        const client = new Client(server.port);
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const body = new URLSearchParams({ query }).toString();
        const answer = await client.request('POST', '/api/v1/query', { headers, body });
        client.close();
        return answer;
      };
      expect((await ask()).status, 'alone').to.equal(200);
      const answers = await Promise.all(Array.from({ length: 40 }, ask));
      const refused = answers.filter(({ status }) => status === 422);
      expect(refused).not.to.be.empty;
      for (const { body } of refused) {
        expect(body).to.match(/all queries together hold more than \d+ bytes of texts/);
      }
      for (const { status } of answers) expect([200, 422, 503]).to.include(status);
      expect((await ask()).status, 'afterwards').to.equal(200);
      expect((await server.stop()).code).to.equal(0);
    });
  }
});
