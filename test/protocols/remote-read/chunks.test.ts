/** STREAMED_XOR_CHUNKS: the same series and samples as SAMPLES, streamed in frames. */
import { assert } from 'chai';

import { Client } from '../../support/client.js';
import { readFrames, seriesOfFrames, type ReadFrame } from '../../support/chunk-stream.js';
import { Random, testSeed } from '../../support/random.js';
import { postRead, readRequest, remoteRead, type AskedRead } from '../../support/remote-read.js';
import { snappy, writeRequest } from '../../support/remote-write.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

type Written = Parameters<typeof writeRequest>[0];

const kChunks = 1;
const kFrameSizeMax = 1024 * 1024;
const baseMs = 1_700_000_000_000;
const always = { start: -(2n ** 63n), end: 2n ** 63n - 1n };
const staleBits = 0x7ff0000000000002n;
const special = [0, -0, 1e-320, -1e300, Infinity, -Infinity, staleBits, 0xfff8dead0000beefn];
const gaps = [1, 15_000, 15_000, 15_000, 15_001, 8_192, 65_536, 524_289, 2 ** 33];

function randomSamples(random: Random, count: number): Written[number]['samples'] {
  let ts = baseMs + random.below(2 ** 20);
  let value = random.below(1000);
  return Array.from({ length: count }, () => {
    ts += random.chance(0.5) ? 15_000 : random.pick(gaps);
    if (random.chance(0.5)) value += random.pick([0, 1, 0.5, random.unit()]);
    const bits = random.chance(0.05) ? random.pick(special) : value;
    return [ts, bits] as const;
  });
}

async function stream(
  port: number,
  reads: readonly AskedRead[],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly ReadFrame[]> {
  const body = Buffer.from(snappy(readRequest(reads, [kChunks])));
  const answer = await postRead(port, body, headers);
  assert.strictEqual(answer.status, 200, answer.bytes.subarray(0, 200).toString());
  return readFrames(answer.bytes);
}

for (const transport of ['uws', 'node'] as const) {
  describe(`streamed remote_read, transport ${transport}`, function () {
    this.timeout(120_000);
    const random = new Random(testSeed);
    let server: Server;
    let client: Client;

    before(async () => {
      // Makes segments, so that some samples are read from files.
      const env = {
        ...{ SERIESDB_TRANSPORT: transport, SERIESDB_FLUSH_INTERVAL_MS: '200' },
        ...{ SERIESDB_MAX_QUERY_SERIES: '1000', SERIESDB_MAX_QUERY_SAMPLES: '200000' },
      };
      server = await startServer({ dataDir: temporaryDirectory(), env });
      client = new Client(server.port);
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const write = async (series: Written): Promise<void> => {
      const { status, body } = await client.request('POST', '/api/v1/write', {
        body: snappy(writeRequest(series)),
        headers: { 'content-encoding': 'snappy' },
      });
      assert.strictEqual(status, 204, body);
    };

    it(`equals the SAMPLES response for any request (seed ${testSeed})`, async () => {
      const written = Array.from({ length: 60 }, (_, i) => ({
        labels: { __name__: `random_${i % 3}`, i: String(i), ...(i % 2 ? { Zone: 'a' } : {}) },
        samples: randomSamples(random, random.pick([1, 2, 119, 120, 121, 240, 1000, 9000])),
      }));
      for (const one of written) await write([one]);
      const lastMs = Math.max(...written.map(({ samples }) => Number(samples.at(-1)?.[0] ?? 0)));
      for (let round = 0; round < 15; ++round) {
        const reads = Array.from({ length: random.below(4) }, (): AskedRead => {
          const start = baseMs + random.below(lastMs - baseMs);
          const range = { start, end: start + random.below(lastMs - baseMs) };
          const name = random.pick(['random_0', 'random_.*', 'random_[12]', 'none']);
          const matchers = [['__name__', '=~', name] as const, ['i', '=~', '.*[0-4]'] as const];
          return { ...(random.chance(0.5) ? range : always), matchers };
        });
        const frames = await stream(server.port, reads);
        const expected = await remoteRead(server.port, reads);
        assert.deepEqual(seriesOfFrames(frames, reads.length), expected);
      }
    });

    it('has the frames of the queries in order, and chunks of at most 120 samples', async () => {
      const matchers = [['__name__', '=', 'random_0']] as const;
      const none = { ...always, matchers: [['__name__', '=', 'none']] as const };
      const one = { ...always, matchers };
      const frames = await stream(server.port, [none, one, none, one]);
      const indexes = frames.map(({ queryIndex }) => queryIndex);
      assert.deepEqual(
        indexes,
        indexes.map((_, at) => (at < indexes.length / 2 ? 1 : 3)),
      );
      assert.strictEqual(new Set(frames.map(({ labels }) => labels)).size, 20);
      for (const { chunks } of frames) {
        for (const [at, { samples, encoding, minMs, maxMs }] of chunks.entries()) {
          assert.strictEqual(encoding, 1);
          // Only the last one has fewer.
          if (at < chunks.length - 1) assert.lengthOf(samples, 120);
          assert.isAtMost(samples.length, 120);
          assert.deepEqual([minMs, maxMs], [samples[0]?.ts, samples.at(-1)?.ts]);
        }
      }
    });

    it('continues a long series in the next frame, and no frame exceeds 1 MiB', async () => {
      const count = 170_000;
      const samples = Array.from(
        { length: count },
        (_, at) => [at, random.unit() * random.unit()] as const,
      );
      for (let at = 0; at < count; at += 10_000) {
        await write([{ labels: { __name__: 'long' }, samples: samples.slice(at, at + 10_000) }]);
      }
      const reads = [{ ...always, matchers: [['__name__', '=', 'long']] as const }];
      const frames = await stream(server.port, reads);
      assert.isAbove(frames.length, 1);
      for (const { size, labels } of frames) {
        assert.isAtMost(size, kFrameSizeMax);
        assert.strictEqual(labels, '{__name__="long"}');
      }
      const [found = []] = seriesOfFrames(frames, 1);
      assert.deepEqual(
        found[0]?.samples.map(({ ts, value }) => [Number(ts), value]),
        samples.map(([ts, value]) => [ts, value]),
      );
    });

    it('is not compressed, and a stream of nothing is empty', async () => {
      const headers = { 'accept-encoding': 'gzip, br, zstd' };
      for (const name of ['long', 'none']) {
        const reads = [{ ...always, matchers: [['__name__', '=', name] as const] }];
        const body = Buffer.from(snappy(readRequest(reads, [kChunks])));
        const answer = await postRead(server.port, body, headers);
        assert.strictEqual(answer.status, 200);
        assert.isNull(answer.headers.get('content-encoding'));
        assert.isNull(answer.headers.get('vary'));
        assert.strictEqual(answer.bytes.length > 0, name === 'long');
      }
    });

    it('may have more samples than SAMPLES, but not more series', async () => {
      const reads = [0, 1].map(() => ({
        ...always,
        matchers: [['__name__', '=', 'long']] as const,
      }));
      const refused = await postRead(server.port, Buffer.from(snappy(readRequest(reads))));
      assert.strictEqual(refused.status, 400);
      assert.include(refused.bytes.toString(), 'max_query_samples');
      const [first = [], second = []] = seriesOfFrames(await stream(server.port, reads), 2);
      assert.strictEqual(first[0]?.samples.length, 170_000);
      assert.strictEqual(second[0]?.samples.length, 170_000);
      const all = Array.from({ length: 17 }, () => ({ ...always, matchers: [] }));
      const body = Buffer.from(snappy(readRequest(all, [kChunks])));
      const more = await postRead(server.port, body);
      assert.strictEqual(more.status, 400);
      assert.include(more.bytes.toString(), 'max_query_series');
    });
  });
}
