/** Metadata without samples, as Prometheus sends it: as durable as samples, and bounded. */
import { expect } from 'chai';

import { Client, type Answer } from '../../support/client.js';
import { snappy, writeRequest, type SentMetadata } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const kMiB = 1024 * 1024;

describe('metadata by remote_write', function () {
  this.timeout(60_000);
  let client: Client;

  afterEach(async () => {
    client.close();
    await killServers();
  });

  const start = async (dataDir: string, env = {}): Promise<Server> => {
    const server = await startServer({ dataDir, env });
    client = new Client(server.port);
    return server;
  };
  const send = (metadata: readonly SentMetadata[]): Promise<Answer> =>
    client.request('POST', '/api/v1/write', {
      body: snappy(writeRequest([], metadata)),
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    });
  const store = (metric: string): Promise<Answer> =>
    client.request('POST', '/api/v1/ingest', {
      body: JSON.stringify({ metric, ts: 1, value: 1 }),
    });
  const described = async (metric: string): Promise<string> =>
    (await client.request('POST', '/api/v1/metrics/find', { body: `{"name":"${metric}"}` })).body;

  it('survives kill -9, before and after a flush', async () => {
    const dataDir = temporaryDirectory();
    await start(dataDir);
    const metadata = [{ kind: 1, family: 'hits_total', help: 'Requests that were answered.' }];
    expect((await send(metadata)).status).to.equal(204);
    client.close();
    await killServers();
    const server = await start(dataDir);
    expect((await store('hits_total')).status).to.equal(200);
    expect(await described('hits_total')).to.contain('Requests that were answered.');
    await server.stop();
    client.close();
    await start(dataDir);
    expect(await described('hits_total')).to.contain('Requests that were answered.');
  });

  it('is limited to its share of memory_limit_bytes, and the rest is rejected', async () => {
    await start(temporaryDirectory(), { SERIESDB_MEMORY_LIMIT_BYTES: String(16 * kMiB) });
    const help = 'x'.repeat(60_000);
    const codes: number[] = [];
    for (let request = 0; request < 6; ++request) {
      const metadata = Array.from({ length: 20 }, (_, at) => ({
        kind: 2,
        family: `m_${String(request)}_${String(at)}`,
        help,
      }));
      codes.push((await send(metadata)).status);
    }
    expect(codes).to.deep.equal([204, 204, 422, 422, 422, 422]);
    expect((await store('m_0_0')).status).to.equal(200);
    expect((await store('other')).status).to.equal(200);
  });
});
