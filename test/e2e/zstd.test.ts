/** Bodies with Content-Encoding: zstd, over real sockets and both transports. */

import { assert } from 'chai';

import { Client, maximumTs, minimumTs } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';
import { compressedLines, runFrame, storedFrame } from '../support/zstd.js';

const everything = { start: minimumTs, end: maximumTs };
const bodyMax = 64 * 2 ** 20;

const lines = (metric: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `{"metric":"${metric}","ts":${String(at)},"value":${String(at)}}\n`,
  ).join('');

for (const transport of ['uws', 'node'] as const) {
  describe(`zstd bodies, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;
    let client: Client;
    const dataDir = temporaryDirectory();

    before(async () => {
      server = await startServer({ dataDir, env: { SERIESDB_TRANSPORT: transport } });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      const { code, output } = await server.stop();
      removeDirectory(dataDir);
      assert.strictEqual(code, 0, output);
    });
    after(killServers);

    const post = (body: Buffer) =>
      client.request('POST', '/api/v1/ingest', { headers: { 'content-encoding': 'zstd' }, body });
    const refused = async (body: Buffer, status: number, code: string) => {
      const answer = await post(body);
      assert.strictEqual(answer.status, status, answer.body);
      assert.include(answer.body, `"code":"${code}"`);
      return answer.body;
    };
    const stored = async (metric: string) =>
      (await client.rangeGet({ metric, labels: {}, ...everything })).length;

    it('output of the zstd tool is decompressed exactly', async () => {
      assert.strictEqual((await post(compressedLines)).body, '{"ingested":300}');
      const found = await client.rangeGet({
        metric: 'zstd',
        labels: { host: 'h1' },
        ...everything,
      });
      assert.lengthOf(found, 100);
      found.forEach((sample, at) => {
        const i = at * 3 + 1;
        assert.strictEqual(Number(sample.ts), 1_700_000_000_000 + i * 10_000);
        assert.strictEqual(Number(sample.value), ((i * 37) % 1000) / 8);
      });
    });

    it('several frames are one body, including empty and skippable ones', async () => {
      const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
      const half = lines('frames', 20_000);
      const cut = half.length - 7;
      const frames = [storedFrame(half.slice(0, cut)), skipped, storedFrame('')];
      const answer = await post(Buffer.concat([...frames, storedFrame(half.slice(cut)), skipped]));
      assert.strictEqual(answer.body, '{"ingested":20000}');
      assert.strictEqual(await stored('frames'), 20_000);
      assert.strictEqual((await post(Buffer.alloc(0))).body, '{"ingested":0}');
    });

    it('damage, truncation and a dictionary are 400 and store nothing', async () => {
      const whole = storedFrame(lines('damaged', 900));
      for (const size of [3, 5, 8, 100, whole.length - 1]) {
        await refused(whole.subarray(0, size), 400, 'invalid_encoding');
      }
      await refused(Buffer.concat([whole, Buffer.from('more')]), 400, 'invalid_encoding');
      await refused(Buffer.from('no zstd at all'), 400, 'invalid_encoding');
      const wrongSum = Buffer.from(compressedLines);
      wrongSum.writeUInt8(wrongSum.readUInt8(wrongSum.length - 1) ^ 1, wrongSum.length - 1);
      await refused(wrongSum, 400, 'invalid_encoding');
      const dictionary = Buffer.concat([whole.subarray(0, 6), Buffer.from([9]), whole.subarray(6)]);
      dictionary.writeUInt8(1, 4);
      await refused(dictionary, 400, 'invalid_encoding');
      assert.strictEqual(await stored('damaged'), 0);
    });

    it('a window of 8 MiB is accepted, a larger one rejected', async () => {
      assert.strictEqual((await post(storedFrame(lines('w', 1), 23))).status, 200);
      for (const log of [24, 40]) {
        const answer = await refused(storedFrame(lines('w', 1), log), 415, 'unsupported_encoding');
        assert.include(answer, 'a window of more than 8 MiB');
      }
    });

    it('a bomb is cut one byte past the body limit, and others are served meanwhile', async () => {
      assert.strictEqual((await post(runFrame('\n', bodyMax))).body, '{"ingested":0}');
      await refused(runFrame('\n', bodyMax + 1), 413, 'payload_too_large');
      const bomb = post(runFrame('\n', 2 ** 32));
      assert.strictEqual((await client.get('/healthz')).status, 200);
      assert.strictEqual((await bomb).status, 413);
      await refused(runFrame('x', 70_000), 413, 'line_too_long');
    });

    it('frees the memory of every decoder', async () => {
      const metrics = (await client.get('/metrics')).body;
      assert.match(metrics, /^seriesdb_request_bytes 0$/m);
    });
  });
}
