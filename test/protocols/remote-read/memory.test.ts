/** Memory of a long remote_read answer: the whole answer, or one frame. */
import { setTimeout as pause } from 'node:timers/promises';

import { assert } from 'chai';

import { Client } from '../../support/client.js';
import { parseExposition, sampleOf } from '../../support/exposition-parser.js';
import { postRead, readRequest } from '../../support/remote-read.js';
import { snappy } from '../../support/remote-write.js';
import {
  isSanitized,
  killServers,
  startServer,
  temporaryDirectory,
  type Server,
} from '../../support/server.js';

const kMiB = 1024 * 1024;
const kSamples = 100_000;
/** The same query repeated, the maximum of a request. */
const reads = Array.from({ length: 64 }, () => ({
  ...{ start: 0, end: kSamples, matchers: [['__name__', '=', 'm']] as const },
}));

for (const transport of ['uws', 'node'] as const) {
  describe(`memory of remote_read, transport ${transport}`, function () {
    this.timeout(120_000);
    let server: Server;
    let client: Client;

    before(async () => {
      const args = ['--transport', transport, '--memory-limit-bytes', '16MiB'];
      server = await startServer({ dataDir: temporaryDirectory(), args });
      client = new Client(server.port);
      for (let sent = 0; sent < kSamples;) {
        const body = Array.from({ length: 10_000 }, (_, at) => {
          const ts = String(sent + at);
          return `{"metric":"m","ts":${ts},"value":${String(Math.sin(sent + at))}}\n`;
        }).join('');
        if ((await client.request('POST', '/api/v1/ingest', { body })).status === 200) {
          sent += 10_000;
        }
      }
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const queryBytes = async (): Promise<number> => {
      const families = parseExposition((await client.get('/metrics')).body);
      return sampleOf(families, 'seriesdb_memory_query_bytes');
    };
    /** Written samples may take all memory for a while, until they are flushed. */
    const untilThereIsRoom = async (): Promise<Response> => {
      for (let left = 100; ; left -= 1) {
        const answer = await fetch(`${server.url}/api/v1/read`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
          body: Buffer.from(snappy(readRequest(reads, [1]))),
        });
        if (answer.status !== 503 || left === 0) return answer;
        await answer.arrayBuffer();
        await pause(100);
      }
    };
    const readStream = async (onPiece: (total: number) => Promise<void>): Promise<number> => {
      const answer = await untilThereIsRoom();
      assert.strictEqual(answer.status, 200);
      let total = 0;
      for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
        total += piece.byteLength;
        await onPiece(total);
      }
      return total;
    };

    it('exceeds the limit for SAMPLES, and is a frame or two for a stream', async () => {
      const refused = await postRead(server.port, Buffer.from(snappy(readRequest(reads))));
      assert.strictEqual(refused.status, 400);
      assert.include(refused.bytes.toString(), 'memory_limit_bytes = 16777216');
      // The second time, the program's own memory is already allocated.
      await readStream(() => Promise.resolve());
      const before = server.residentBytes();
      let most = 0;
      let told = 0;
      let looked = 0;
      const total = await readStream(async (received) => {
        if (received - looked < 4 * kMiB) return;
        looked = received;
        most = Math.max(most, server.residentBytes());
        told = Math.max(told, await queryBytes());
      });
      assert.isAbove(total, 40 * kMiB);
      // A frame has at most 1 MiB, and counts until its reader has received it.
      assert.isAtMost(told, 2 * kMiB + 64 * 1024);
      if (!isSanitized) assert.isBelow(most - before, 20 * kMiB);
      assert.strictEqual(await queryBytes(), 0);
    });
  });
}
