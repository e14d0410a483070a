/** Clients that never read their answers: the memory of these, and answers to other clients. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask, transportNames } from '../support/admin-server.js';
import { Client } from '../support/client.js';
import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import {
  isSanitized,
  killServers,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const kMiB = 1024 * 1024;
const kMetricCount = 20_000;
const kClientCount = 900;
const kCutMin = 100;
const kLimitMiB = 128;
const kUnreadMax = (kLimitMiB / 4) * kMiB;
/** Unread answers, the finds of open readers, 30 MiB for the connections, and gaps in the heap. */
const kGrowthMax = 7 * kUnreadMax;

/** Each answer has some MB. The second holds the counts of all values until it is sent. */
const questions = [
  { path: '/api/v1/metrics/find', body: '{}' },
  { path: '/api/v1/labels/values', body: '{"key":"host","counted":"value"}' },
];

for (const transport of transportNames) {
  describe(`unread answers over ${transport}`, function () {
    this.timeout(240_000);
    let server: Server;
    let client: Client;
    let watch: NodeJS.Timeout | undefined;
    const silent: Socket[] = [];
    before(async function () {
      if (isSanitized) this.skip();
      const args = ['--transport', transport, '--memory-limit-bytes', `${String(kLimitMiB)}MiB`];
      server = await startServer({ dataDir: temporaryDirectory(), args });
      client = new Client(server.port);
      for (let from = 0; from < kMetricCount; from += 5000) {
        const line = (at: number): string =>
          `{"metric":"m${String(at)}_${'x'.repeat(200)}","labels":{"host":"h${String(at)}_${'y'.repeat(200)}"},"ts":1,"value":1}\n`;
        const body = Array.from({ length: 5000 }, (_, at) => line(from + at)).join('');
        const answer = await client.request('POST', '/api/v1/ingest', { body });
        assert.strictEqual(answer.status, 200, answer.body);
      }
    });
    afterEach(() => {
      clearInterval(watch);
      for (const socket of silent.splice(0)) socket.destroy();
    });
    after(async () => {
      client.close();
      await killServers();
    });

    const figure = async (name: string): Promise<number> =>
      sampleOf(parseExposition((await ask(server.port, '/metrics')).body), `seriesdb_${name}`);
    const askSilently = (path: string, body: string): void => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('connect', () => socket.pause());
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${String(body.length)}\r\n\r\n${body}`,
      );
      silent.push(socket);
    };

    for (const { path, body } of questions) {
      it(`take a quarter of memory_limit_bytes at most (${path})`, async () => {
        const polite = await client.request('POST', path, { body });
        assert.isAbove(polite.body.length, 4 * kMiB);
        const before = server.residentBytes();
        let peak = before;
        watch = setInterval(() => {
          peak = Math.max(peak, server.residentBytes());
        }, 5);
        const cutBefore = await figure('unread_answers_cut_total');
        for (let at = 0; at < kClientCount; at += 1) askSilently(path, body);
        let most = 0;
        while ((await figure('unread_answers_cut_total')) < cutBefore + kCutMin) {
          assert.strictEqual((await ask(server.port, '/healthz')).status, 200);
          most = Math.max(most, await figure('memory_query_bytes'));
          await sleep(20);
        }
        assert.strictEqual((await client.request('POST', path, { body })).body, polite.body);
        most = Math.max(most, await figure('memory_query_bytes'));
        assert.isAbove(most, kUnreadMax / 4);
        // Open readers hold their finds, too.
        assert.isBelow(most, 3 * kUnreadMax);
        assert.isBelow(peak - before, kGrowthMax);
        for (const socket of silent.splice(0)) socket.destroy();
        while ((await figure('memory_query_bytes')) > 0) await sleep(20);
      });
    }
  });
}
