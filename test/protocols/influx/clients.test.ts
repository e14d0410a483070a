/**
 * The unmodified clients of InfluxDB 2, InfluxDB 1 and QuestDB: they write, and they understand
 * errors.
 */
import {
  InfluxDB as InfluxDB2,
  Point,
  setLogger,
  type WriteApi,
  type WriteOptions,
} from '@influxdata/influxdb-client';
import { Sender } from '@questdb/nodejs-client';
import { expect } from 'chai';
import { InfluxDB as InfluxDB1 } from 'influx';

import { pause, startTestServer, transports, type TestServer } from '../../support/http-server.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { pointsOf } from './stored.js';

const token = 'open:sesame';
const baseMs = 1_700_000_000_000;
const base = BigInt(baseMs);

// Silences the log; the tests check the errors themselves.
setLogger({ error: () => undefined, warn: () => undefined });

interface Failure {
  readonly statusCode?: number;
  readonly message: string;
}

/** Never waits long, and reports the result of each batch. */
function writerOf(
  port: number,
  { secret = token, ...options }: Partial<WriteOptions> & { readonly secret?: string } = {},
): { readonly api: WriteApi; readonly failures: Failure[] } {
  const failures: Failure[] = [];
  const db = new InfluxDB2({ url: `http://127.0.0.1:${port}`, token: secret });
  const api = db.getWriteApi('org', 'bucket', 'ms', {
    maxRetries: 0,
    writeFailed: (error) => {
      failures.push(error);
    },
    ...options,
  });
  return { api, failures };
}

async function caughtBy(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing';
}

describe('clients of other databases', function () {
  this.timeout(60_000);
  let server: Server;

  before(async () => {
    const env = { SERIESDB_AUTH_TOKEN: token, SERIESDB_MAX_BODY_BYTES: '200000' };
    server = await startServer({ dataDir: temporaryDirectory(), env });
  });
  after(killServers);

  const read = (metric: string, labels = {}) => pointsOf(server.port, metric, labels, token);

  describe('@influxdata/influxdb-client', () => {
    it('writes points of every type, including texts with line breaks', async () => {
      const { api, failures } = writerOf(server.port);
      const point = new Point('v2 cpu').tag('ho st', 'a,b=c').timestamp(baseMs);
      point.floatField('load', 0.5).intField('n', 42).uintField('u', 7).booleanField('up', true);
      point.stringField('text', 'a "quoted" text\nof two lines \\');
      api.writePoint(point);
      await api.close();
      expect(failures).to.deep.equal([]);
      for (const [field, value] of Object.entries({ load: 0.5, n: 42, u: 7, up: 1 })) {
        expect(await read(`v2 cpu.${field}`, { 'ho st': 'a,b=c' })).to.deep.equal([[base, value]]);
      }
      expect(await read('v2 cpu.text', { 'ho st': 'a,b=c' })).to.deep.equal([]);
    });

    it('writes many points, compressed, in each of its units', async () => {
      for (const [unit, scale] of Object.entries({ ns: 1e6, us: 1e3, ms: 1, s: 1e-3 })) {
        let stored = 0;
        const db = new InfluxDB2({ url: `http://127.0.0.1:${server.port}`, token });
        const api = db.getWriteApi('o', 'b', unit as 'ns' | 'us' | 'ms' | 's', {
          gzipThreshold: 1,
          batchSize: 500,
          writeSuccess: (lines) => {
            stored += lines.length;
          },
        });
        for (let at = 0; at < 2_000; at += 1) {
          const time = Math.round((baseMs + at * 1_000) * scale);
          api.writePoint(
            new Point('many').tag('unit', unit).floatField('value', at).timestamp(time),
          );
        }
        await api.close();
        // The flush does not wait for batches that were full earlier.
        while (stored < 2_000) await pause(20);
        const points = await read('many', { unit });
        expect(points).to.have.length(2_000);
        expect(points.at(-1)).to.deep.equal([base + 1_999_000n, 1_999]);
      }
    });

    it("gets the bad line's number, and the others are stored", async () => {
      const { api, failures } = writerOf(server.port);
      api.writeRecords([`part value=1 ${baseMs}`, 'part value=oops', `part value=2 ${baseMs + 1}`]);
      await api.close().catch(() => undefined);
      expect(failures.map(({ statusCode }) => statusCode)).to.deep.equal([400]);
      expect(failures[0]?.message).to.equal(
        "partial write: 1 of 3 lines rejected: line 2: unable to parse 'part value=oops': " +
          '"oops" is not a value',
      );
      expect(await read('part')).to.have.length(2);
    });

    it('gets an error for a wrong token, and for a body that is too large', async () => {
      const wrong = writerOf(server.port, { secret: 'no' });
      wrong.api.writeRecord('x value=1');
      await wrong.api.close().catch(() => undefined);
      const large = writerOf(server.port, { gzipThreshold: 0, maxBatchBytes: 1e6 });
      large.api.writeRecord(`x,t=${'y'.repeat(300_000)} value=1`);
      await large.api.close().catch(() => undefined);
      const statuses = [...wrong.failures, ...large.failures].map(({ statusCode }) => statusCode);
      expect(statuses).to.deep.equal([401, 413]);
    });
  });

  describe('influx', () => {
    const clientOf = (password: string) =>
      new InfluxDB1({
        host: '127.0.0.1',
        port: server.port,
        database: 'db',
        username: 'any',
        password,
      });

    it('creates its database, finds it, pings, and writes in each of its units', async () => {
      const client = clientOf(token);
      await client.createDatabase('db');
      expect(await client.getDatabaseNames()).to.deep.equal(['seriesdb']);
      const [told] = await client.ping(5_000);
      expect(told?.online).to.equal(true);
      expect(told?.version).to.match(/^1\.8-seriesdb/);
      for (const precision of ['n', 'u', 'ms', 's'] as const) {
        const tags = { precision };
        await client.writePoints(
          [{ measurement: 'v1', tags, fields: { a: 1.5, b: true }, timestamp: new Date(baseMs) }],
          { precision },
        );
        expect(await read('v1.a', tags)).to.deep.equal([[base, 1.5]]);
        expect(await read('v1.b', tags)).to.deep.equal([[base, 1]]);
      }
    });

    it('gets an error for bad lines, and for a wrong password', async () => {
      const point = { measurement: 'v1bad', fields: { value: 1 }, timestamp: new Date(baseMs) };
      const twice = { ...point, tags: { __name__: 'x' } };
      const client = clientOf(token);
      expect(await caughtBy(client.writePoints([point, twice]))).to.contain(
        'partial write: line 2: unable to parse',
      );
      expect(await read('v1bad')).to.have.length(1);
      expect(await caughtBy(clientOf('no').writePoints([point]))).to.contain(
        'authorization failed',
      );
    });
  });

  describe('@questdb/nodejs-client', () => {
    const senderOf = (more: string) =>
      Sender.fromConfig(`http::addr=127.0.0.1:${server.port};auto_flush=off;${more}`);

    it('finds the version of the protocol without credentials, and writes', async () => {
      for (const [name, credentials] of Object.entries({
        basic: `username=any;password=${token};`,
        bearer: `token=${token};`,
      })) {
        const sender = await senderOf(credentials);
        sender.table('quest').symbol('by', name);
        sender.floatColumn('x', 1.5).intColumn('n', 3).booleanColumn('b', false);
        sender.stringColumn('text', 'two\nlines').timestampColumn('since', 5n);
        await sender.at(BigInt(baseMs), 'ms');
        await sender.flush();
        await sender.close();
        for (const [field, value] of Object.entries({ x: 1.5, n: 3, b: 0 })) {
          expect(await read(`quest.${field}`, { by: name })).to.deep.equal([[base, value]]);
        }
      }
    });

    it('gets an error for a wrong password', async () => {
      const sender = await senderOf('username=any;password=no;');
      await sender.table('quest').floatColumn('x', 1).atNow();
      expect(await caughtBy(sender.flush())).to.contain('authorization failed');
      await sender.close();
    });
  });
});

describe('a client of InfluxDB 2 whose server is busy', function () {
  this.timeout(30_000);
  for (const transport of transports) {
    it(`retries after 503, over ${transport.name}`, async () => {
      const server: TestServer = await startTestServer(transport);
      server.storage.beginError = 'ingest_backpressure';
      const { api } = writerOf(server.port, { secret: '', maxRetries: 3, minRetryDelay: 10 });
      api.writeRecord('m value=1 1');
      await api.flush().catch(() => undefined);
      expect(server.storage.samples).to.have.length(0);
      server.storage.beginError = null;
      while (server.storage.samples.length === 0) await pause(20);
      await api.close();
      server.close();
    });
  }
});
