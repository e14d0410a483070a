/** A reader without UTF-8 names receives, and requests, names with underscores. */
import { assert } from 'chai';

import { Client } from '../../support/client.js';
import { readFrames, seriesOfFrames } from '../../support/chunk-stream.js';
import { postRead, readRequest, remoteRead, type AskedRead } from '../../support/remote-read.js';
import { snappy } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const kChunks = 1;
const old = { 'user-agent': 'Prometheus/2.53.0' };
const lineOf = (metric: string, labels: Readonly<Record<string, string>>): string =>
  JSON.stringify({ metric, labels, ts: 1_700_000_000_000, value: 1 });

const lines = [
  lineOf('host.cpu', { 'k8s.pod': 'p1', zone: 'é' }),
  lineOf('host.cpu', { 'k8s.pod': 'p2', 'a.b': 'dot', a_b: 'own', '5g': 'x', né: 'y' }),
  lineOf('host_mem', { host: 'a' }),
  lineOf('disk.used', {}),
  lineOf('disk-used', {}),
];

for (const transport of ['uws', 'node'] as const) {
  describe(`names in remote_read, transport ${transport}`, () => {
    let server: Server;
    before(async () => {
      const env = { SERIESDB_TRANSPORT: transport };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      const client = new Client(server.port);
      assert.strictEqual(await client.ingest(lines.join('\n')), lines.length);
      client.close();
    });
    after(killServers);

    const readOf = (...matchers: AskedRead['matchers']): AskedRead => ({
      ...{ start: 0, end: 2_000_000_000_000, matchers },
    });
    const labelsIn = async (
      read: AskedRead,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<readonly string[]> => {
      const [samples = []] = await remoteRead(server.port, [read], headers);
      const labels = samples.map((series) => series.labels);
      // Both forms name the same.
      const body = Buffer.from(snappy(readRequest([read], [kChunks])));
      const { bytes } = await postRead(server.port, body, headers);
      const [frames = []] = seriesOfFrames(readFrames(bytes), 1);
      const streamed = frames.map((series) => series.labels);
      assert.deepStrictEqual(streamed, labels);
      return labels;
    };

    it('are unchanged for a client that does not declare an old version', async () => {
      const read = readOf(['__name__', '=', 'host.cpu']);
      const plain = await labelsIn(read);
      assert.lengthOf(plain, 2);
      assert.include(plain.join(), 'k8s.pod');
      assert.include(plain.join(), 'a.b');
      for (const agent of ['Prometheus/3.5.0', 'Prometheus/20.1', 'Thanos/2.1', '']) {
        assert.deepStrictEqual(await labelsIn(read, { 'user-agent': agent }), plain);
      }
      const allowed = { ...old, accept: 'application/x-protobuf;escaping=allow-utf-8' };
      assert.deepStrictEqual(await labelsIn(read, allowed), plain);
      assert.deepStrictEqual(await labelsIn(readOf(['__name__', '=', 'host_cpu'])), []);
    });

    it('have underscores for an old client, which finds them by these', async () => {
      const all = [
        '{__name__="host_cpu",_g="x",a_b="own",k8s_pod="p2",n_="y"}',
        '{__name__="host_cpu",k8s_pod="p1",zone="é"}',
      ];
      const read = readOf(['__name__', '=', 'host_cpu']);
      assert.deepStrictEqual(await labelsIn(read, old), all);
      const wished = { accept: '*/*; escaping=underscores' };
      assert.deepStrictEqual(await labelsIn(read, wished), all);
      const stillNamed = readOf(['__name__', '=', 'host.cpu']);
      assert.deepStrictEqual(await labelsIn(stillNamed, old), all);
      const one = readOf(['__name__', '=', 'host_cpu'], ['k8s_pod', '=', 'p1']);
      assert.deepStrictEqual(await labelsIn(one, old), all.slice(1));
      const plain = readOf(['__name__', '=', 'host_mem'], ['host', '=~', 'a|b']);
      assert.deepStrictEqual(await labelsIn(plain, old), ['{__name__="host_mem",host="a"}']);
      const several = readOf(['__name__', '=', 'disk_used']);
      assert.deepStrictEqual(await labelsIn(several, old), []);
    });
  });
}
