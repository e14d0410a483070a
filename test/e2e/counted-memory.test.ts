/** The memory that the server reports for new series, beside what the process takes. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import { ServerOfTest } from '../support/server-of-test.js';
import { isSanitized, type Server } from '../support/server.js';

const kMiB = 1024 * 1024;
const kBatch = 5_000;

const anonymousBytes = (server: Server): number => {
  const status = readFileSync(`/proc/${String(server.pid)}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) * 1024;
};

describe('the memory of new series', function () {
  this.timeout(120_000);
  const own = ServerOfTest.forEach();

  const used = async (): Promise<number> => {
    const { body } = await own.client.get('/metrics');
    return sampleOf(parseExposition(body), 'seriesdb_memory_used_bytes');
  };
  const send = async (from: number, count: number): Promise<void> => {
    for (let at = from; at < from + count; at += kBatch) {
      const line = (host: number): string =>
        `{"metric":"m","labels":{"host":"host-${host}","region":"eu"},"ts":1,"value":1}\n`;
      const body = Array.from({ length: kBatch }, (_, one) => line(at + one)).join('');
      const answer = await own.client.request('POST', '/api/v1/ingest', { body });
      assert.strictEqual(answer.status, 200, answer.body);
    }
  };

  it('is counted as the process takes it', async function () {
    if (isSanitized) this.skip();
    const server = await own.start();
    // Node's heap and the buffers of a connection have their size after that.
    await send(0, 100_000);
    await sleep(500);
    const before = { taken: anonymousBytes(server), told: await used() };
    await send(100_000, 200_000);
    await sleep(500);
    const taken = anonymousBytes(server) - before.taken;
    const told = (await used()) - before.told;
    const figures = `${(told / kMiB).toFixed(1)} MiB told, ${(taken / kMiB).toFixed(1)} taken`;
    assert.isAbove(told, 20 * kMiB, figures);
    // The process takes some MiB more: unused ends of blocks, and Node's heap.
    assert.isAtLeast(told, 0.85 * taken, figures);
    assert.isAtMost(told, 1.15 * taken, figures);
  });
});
