/** Writers of annotations, a killed server, and a ledger of acknowledged ones. */
import { setTimeout as sleep } from 'node:timers/promises';

import { AssertionError, assert } from 'chai';

import { Client } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import {
  killDuringStart,
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const writerCount = 4;
const roundCount = Number(process.env['SERIESDB_CRASH_ROUNDS'] ?? 8);

class Run {
  /** Titles by id, of what was acknowledged or was seen after a crash. */
  readonly stored = new Map<number, string>();
  private readonly sent = new Set<string>();
  private readonly random: Random;
  private readonly options: { dataDir: string; env: Record<string, string> };
  private nextTitle = 1;

  constructor(seed: number, env: Record<string, string>) {
    this.random = new Random(seed);
    this.options = { dataDir: temporaryDirectory(), env };
  }

  async round(): Promise<void> {
    const server = await startServer(this.options);
    await this.check(server);
    const writers = Array.from({ length: writerCount }, async () => this.write(server));
    await sleep(20 + this.random.below(300));
    await server.kill();
    await Promise.all(writers);
    if (this.random.chance(0.3)) await killDuringStart(this.options, 20 + this.random.below(200));
  }

  async finish(): Promise<void> {
    for (let times = 0; times < 2; times++) {
      const server = await startServer(this.options);
      await this.check(server);
      const { code, output } = await server.stop();
      assert.strictEqual(code, 0, output);
    }
    removeDirectory(this.options.dataDir);
  }

  private async write(server: Server): Promise<void> {
    const client = new Client(server.port);
    for (;;) {
      const title = String(this.nextTitle++);
      this.sent.add(title);
      try {
        const body = `{"kind":"k","title":"${title}","start":${title}}`;
        const answer = await client.postJson('/api/v1/annotations/write', body);
        assert.strictEqual(answer.status, 201, answer.body);
        this.note(Number(/"id":(\d+)/.exec(answer.body)?.[1]), title);
        const line = `{"metric":"beside","ts":${title},"value":1}\n`;
        await client.ingest(line.repeat(this.random.chance(0.2) ? 500 : 1));
      } catch (error) {
        if (error instanceof AssertionError) throw error;
        break; // The server is dead.
      }
    }
    client.close();
  }

  private note(id: number, title: string): void {
    assert.strictEqual(this.stored.get(id) ?? title, title, `id ${id} was given twice`);
    this.stored.set(id, title);
  }

  private async check(server: Server): Promise<void> {
    const client = new Client(server.port);
    const answer = await client.postJson('/api/v1/annotations/query', '{}');
    client.close();
    assert.strictEqual(answer.status, 200);
    const found = [...answer.body.matchAll(/\{"id":(\d+),"kind":"k","title":"(\d+)"/g)];
    const ids = new Set<number>();
    for (const [, id = '', title = ''] of found) {
      assert.isTrue(this.sent.has(title), `annotation ${title} was never sent`);
      this.note(Number(id), title);
      ids.add(Number(id));
    }
    assert.strictEqual(ids.size, found.length, 'an id comes twice');
    assert.strictEqual(new Set(found.map(([, , title]) => title)).size, found.length);
    for (const [id, title] of this.stored) {
      assert.isTrue(ids.has(id), `lost: annotation ${id}, ${title}`);
    }
  }
}

describe('kill -9 loses no acknowledged annotation and gives no id twice', () => {
  after(killServers);
  for (const [title, env] of [
    ['with everything in the log', {}],
    ['with flushes all the time', { SERIESDB_MEMTABLE_MAX_BYTES: '65536' }],
  ] as const) {
    it(`${title}, ${String(roundCount)} rounds, seed ${String(testSeed)}`, async function () {
      this.timeout(60_000 + roundCount * 15_000);
      const run = new Run(testSeed, { ...env });
      for (let round = 0; round < roundCount; round++) await run.round();
      await run.finish();
      assert.isAbove(run.stored.size, roundCount);
    });
  }
});
