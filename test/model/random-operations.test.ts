import { assert } from 'chai';

import { Client, type Sample } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

import { Model, Source, allSeries, linesOf } from './model.js';

const operationCount = 250;

/** A database and a model that get the same operations. */
class Pair {
  private readonly random: Random;
  private readonly source: Source;
  private readonly model = new Model();
  private readonly env: Readonly<Record<string, string>>;
  private readonly dataDir = temporaryDirectory();
  private readonly history: string[] = [];
  private server: Server | null = null;
  private client = new Client(0);

  constructor(seed: number, env: Readonly<Record<string, string>>) {
    this.random = new Random(seed);
    this.source = new Source(this.random);
    this.env = env;
  }

  async open(): Promise<void> {
    this.server = await startServer({ dataDir: this.dataDir, env: this.env });
    this.client.close();
    this.client = new Client(this.server.port);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.server?.kill();
    removeDirectory(this.dataDir);
  }

  async step(): Promise<void> {
    const what = this.random.unit();
    if (what < 0.02) await this.restart('SIGTERM');
    else if (what < 0.04) await this.restart('SIGKILL');
    else if (what < 0.6) await this.ingest();
    else if (what < 0.67) await this.remove();
    else await this.compareOne();
  }

  async compareAll(): Promise<void> {
    for (const series of allSeries) {
      const range = { start: -(2n ** 63n), end: 2n ** 63n - 1n };
      const selector = { metric: series.name, labels: series.labels, ...range };
      const expected = this.model.range(series, range.start, range.end);
      this.expectSame(await this.client.rangeGet(selector), expected, JSON.stringify(series));
    }
  }

  private async restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.history.push(`restart by ${signal}`);
    if (signal === 'SIGKILL') {
      await this.server?.kill();
    } else {
      const exit = await this.server?.stop();
      assert.strictEqual(exit?.code, 0, exit?.output);
    }
    await this.open();
    await this.compareAll();
  }

  private async ingest(): Promise<void> {
    const points = this.source.batch();
    const ingested = await this.client.ingest(linesOf(points, this.random));
    assert.strictEqual(ingested, points.length);
    this.model.apply(points);
    this.history.push(`ingest ${String(points.length)}`);
  }

  private async remove(): Promise<void> {
    const name = this.random.pick(['alone', 'cpu', 'cpu.user']);
    const { start, end } = this.source.range();
    const body = `delete from ${name} where time between ${start} and ${end}`;
    const answer = await this.client.request('POST', '/api/v1/seriesql', { body });
    const count = this.model.remove(name, start, end);
    this.history.push(body);
    assert.strictEqual(answer.status, count === 0 ? 404 : 200, answer.body);
    if (count > 0) assert.include(answer.body, `"rows":[[${String(count)}]]`);
  }

  private async compareOne(): Promise<void> {
    const series = this.random.pick(allSeries);
    const range = this.source.range();
    const names = this.random.chance(0.5) ? { metric: series.name } : { series: series.name };
    const selector = { ...names, labels: series.labels, ...range };
    const isPost = this.random.chance(0.5);
    const received = isPost
      ? await this.client.rangePost(selector)
      : await this.client.rangeGet(selector);
    const expected = this.model.range(series, range.start, range.end);
    const method = isPost ? 'POST' : 'GET';
    const what = `${method} ${JSON.stringify(series)} ${range.start} to ${range.end}`;
    this.expectSame(received, expected, what);
  }

  private expectSame(received: readonly Sample[], expected: readonly Sample[], what: string) {
    const at = expected.findIndex(
      ({ ts, value }, index) =>
        received[index]?.ts !== ts || !Object.is(received[index].value, value),
    );
    if (at < 0 && received.length === expected.length) return;
    const show = (sample: Sample | undefined): string =>
      sample === undefined ? 'nothing' : `${String(sample.ts)} = ${String(sample.value)}`;
    const first = at < 0 ? expected.length : at;
    assert.fail(
      `${what}: ${expected.length} samples expected, ${received.length} received; ` +
        `at ${first} ${show(expected[first])} expected, ${show(received[first])} received; ` +
        `after ${this.history.slice(-8).join(', ')} (${String(this.history.length)} operations)`,
    );
  }
}

describe('random operations agree with a naive model', () => {
  after(killServers);
  // The least that is allowed flushes after every few batches; the default never flushes in this
  // test.
  for (const memtableMaxBytes of ['65536', '1048576', undefined]) {
    const size =
      memtableMaxBytes === undefined ? 'of default size' : `of ${memtableMaxBytes} bytes`;
    it(`with a memtable ${size}, seed ${String(testSeed)}`, async function () {
      this.timeout(180_000);
      const env: Record<string, string> =
        memtableMaxBytes === undefined ? {} : { SERIESDB_MEMTABLE_MAX_BYTES: memtableMaxBytes };
      const pair = new Pair(testSeed, env);
      try {
        await pair.open();
        for (let count = 0; count < operationCount; count++) await pair.step();
        await pair.compareAll();
      } finally {
        await pair.close();
      }
    });
  }
});
