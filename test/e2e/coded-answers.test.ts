/** Answers of a real server, compressed and plain. */
import { expect } from 'chai';

import { transportNames } from '../support/admin-server.js';
import { Client } from '../support/client.js';
import { askCoded, codingsHere, decoded } from '../support/coded-client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const count = 60_000;
const statement = 'select tag.host, time, value from m where time >= 0';

interface Question {
  readonly path: string;
  readonly body?: string;
  readonly accept?: string;
  readonly isAdmin?: boolean;
}

const questions: Readonly<Record<string, Question>> = {
  'a range': {
    path: '/api/v1/query/range?start=0&end=90000&metric=m&labels=%7B%22host%22:%22a%22%7D',
  },
  'a short range': {
    path: '/api/v1/query/range?start=0&end=40&metric=m&labels=%7B%22host%22:%22a%22%7D',
  },
  'SeriesQL as CSV': { path: '/api/v1/seriesql', body: statement, accept: 'text/csv' },
  'SeriesQL as NDJSON': {
    path: '/api/v1/seriesql',
    body: statement,
    accept: 'application/x-ndjson',
  },
  'SeriesQL as JSON': { path: '/api/v1/seriesql', body: statement },
  series: { path: '/api/v1/series/find', body: '{"metric":"many"}' },
  'the description': { path: '/openapi.json' },
  'the counters': { path: '/metrics' },
  'what is in the files': { path: '/__admin/inspect?part=chunks', isAdmin: true },
};

/** Removes text that changes over time: statistics of a query, and counts. */
function lasting(text: string): string {
  return text.replace(/"stats":.*$/, '').replace(/^[a-z_]+(?:\{.*\})? [\d.e+-]+\n/gm, '');
}

for (const transport of transportNames) {
  describe(`answers of a server over ${transport}, compressed`, function () {
    this.timeout(60_000);
    const dataDir = temporaryDirectory();
    let server: Server;
    before(async () => {
      const args = ['--transport', transport, '--admin-listen', '127.0.0.1:0'];
      server = await startServer({ dataDir, args, env: { SERIESDB_ADMIN_ENABLED: 'true' } });
      const client = new Client(server.port);
      await client.ingest(
        Array.from({ length: count }, (_, at) => {
          const host = at % 2 === 0 ? 'a' : 'b';
          return `{"metric":"m","labels":{"host":"${host}"},"ts":${at},"value":${at / 7}}\n`;
        }).join(''),
      );
      await client.ingest(
        Array.from(
          { length: 90 },
          (_, at) => `{"metric":"many","labels":{"at":"${at}"},"ts":0,"value":0}\n`,
        ).join(''),
      );
      client.close();
      await askCoded(server.adminPort ?? 0, '/__admin/flush', { method: 'POST' });
    });
    after(async () => {
      await killServers();
      removeDirectory(dataDir);
    });

    for (const [name, { path, body, accept, isAdmin = false }] of Object.entries(questions)) {
      it(`decode to the same content: ${name}`, async () => {
        const port = isAdmin ? (server.adminPort ?? 0) : server.port;
        const asked = { ...(body === undefined ? {} : { body }) };
        const shared = accept === undefined ? {} : { accept };
        const plain = await askCoded(port, path, { ...asked, headers: shared });
        expect([plain.status, plain.headers['content-encoding']]).to.deep.equal([200, undefined]);
        for (const coding of codingsHere) {
          const headers = { ...shared, 'accept-encoding': coding };
          const coded = await askCoded(port, path, { ...asked, headers });
          expect(coded.headers['content-type']).to.equal(plain.headers['content-type']);
          expect(coded.headers['content-encoding']).to.equal(
            name === 'a short range' ? undefined : coding,
          );
          expect(lasting(decoded(coded)) === lasting(plain.bytes.toString()), coding).to.equal(
            true,
          );
          if (plain.bytes.length > 2000) {
            expect(coded.bytes.length).to.be.below(plain.bytes.length / 2);
          }
        }
      });
    }

    it('are decoded by fetch without any setting', async () => {
      const text = await (await fetch(`${server.url}${questions['a range']?.path ?? ''}`)).text();
      expect(JSON.parse(text)).to.have.length(count / 2);
    });
  });
}
