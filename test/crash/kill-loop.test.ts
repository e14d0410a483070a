import { setTimeout as sleep } from 'node:timers/promises';

import { AssertionError, assert } from 'chai';

import { Client, UnexpectedAnswer } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import {
  killDuringStart,
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

import { Ledger } from './ledger.js';

const writerCount = 4;
const roundCount = Number(process.env['SERIESDB_CRASH_ROUNDS'] ?? 10);

type Environment = Readonly<Record<string, string>>;

/**
 * The possible environments of a start: the description to open from, and whether to write both.
 */
const anyMode: readonly Environment[] = [
  { SERIESDB_METADATA_READ_MODE: 'primary' },
  { SERIESDB_METADATA_READ_MODE: 'shadow' },
  { SERIESDB_METADATA_READ_MODE: 'legacy' },
  { SERIESDB_METADATA_READ_MODE: 'legacy', SERIESDB_CAS_MODE: 'off' },
];

/** Writers that send until the server dies, and the ledger that judges what is left. */
class CrashRun {
  readonly ledger = new Ledger();
  private readonly random: Random;
  private readonly options: { dataDir: string; env: Record<string, string> };
  private readonly env: Environment;
  private readonly modes: readonly Environment[];

  constructor(seed: number, env: Environment, modes: readonly Environment[]) {
    this.random = new Random(seed);
    this.env = env;
    this.modes = modes;
    this.options = { dataDir: temporaryDirectory(), env: {} };
    this.drawMode();
  }

  async round(): Promise<void> {
    this.drawMode();
    const server = await startServer(this.options);
    const client = new Client(server.port);
    await this.judge(client);
    const writers = Array.from({ length: writerCount }, async (_, writer) =>
      this.write(server, writer),
    );
    await sleep(20 + this.random.below(400));
    await server.kill();
    await Promise.all(writers);
    client.close();
    this.drawMode();
    if (this.random.chance(0.3)) await killDuringStart(this.options, 20 + this.random.below(200));
  }

  /** The last judgement, twice in every mode: before and after an end that flushes everything. */
  async finish(): Promise<void> {
    for (const mode of [...this.modes, ...this.modes]) {
      this.options.env = { ...this.env, ...mode };
      const server = await startServer(this.options);
      const client = new Client(server.port);
      await this.judge(client);
      client.close();
      const { code, output } = await server.stop();
      assert.strictEqual(code, 0, output);
    }
    removeDirectory(this.options.dataDir);
  }

  /** Checks that acknowledged samples are there, and that the two descriptions agree. */
  private async judge(client: Client): Promise<void> {
    await this.ledger.check(client, writerCount);
    const status = await client.request('GET', '/status');
    const { runtime } = JSON.parse(status.body) as { runtime: Record<string, number> };
    assert.strictEqual(runtime['cas_shadow_mismatch_total'], 0);
  }

  private drawMode(): void {
    const mode = this.modes[this.random.below(this.modes.length)] ?? {};
    this.options.env = { ...this.env, ...mode };
  }

  private async write(server: Server, writer: number): Promise<void> {
    const client = new Client(server.port);
    const random = new Random(this.random.next32());
    for (;;) {
      try {
        if (random.chance(0.2)) await this.delete(client, writer, random);
        else await this.ingest(client, writer, random);
      } catch (error) {
        if (error instanceof UnexpectedAnswer && error.answer.status !== 503) throw error;
        if (error instanceof AssertionError) throw error;
        // Refused for want of memory: try the next one. Else the connection broke: the server is
        // dead.
        if (!(error instanceof UnexpectedAnswer)) break;
        await sleep(5);
      }
    }
    client.close();
  }

  /** New samples, or now and then those that were deleted before. */
  private async ingest(client: Client, writer: number, random: Random): Promise<void> {
    const again = random.chance(0.1) ? this.ledger.pick(writer, 'absent', random) : null;
    const size = 1 + random.below(random.chance(0.1) ? 900 : 40);
    const entry = again ?? this.ledger.open(writer, size);
    this.ledger.settleOne(entry, 'unknown');
    const ingested = await client.ingest(this.ledger.linesOf(entry));
    assert.strictEqual(ingested, entry.count + (again === null ? 1 : 0));
    this.ledger.settleOne(entry, 'acknowledged');
  }

  private async delete(client: Client, writer: number, random: Random): Promise<void> {
    const entry = this.ledger.pick(writer, 'acknowledged', random);
    if (entry === null) return;
    this.ledger.settleOne(entry, 'unknown');
    const body = this.ledger.deletionOf(entry);
    const answer = await client.request('POST', '/api/v1/seriesql', { body });
    if (answer.status !== 200) throw new UnexpectedAnswer('delete', answer);
    this.ledger.settleOne(entry, 'absent');
  }
}

describe('kill -9 during ingest and deletions loses nothing acknowledged, halves no request and brings nothing back', () => {
  after(killServers);
  const busy = { SERIESDB_MEMTABLE_MAX_BYTES: '65536', SERIESDB_COMPACTION_FACTOR: '2' };
  const sizes: readonly (readonly [string, Environment, readonly Environment[]])[] = [
    ['with everything in the log', {}, [{}]],
    ['with flushes and compactions all the time', busy, [{}]],
    ['with these, from any description at each start', busy, anyMode],
  ];
  for (const [title, env, modes] of sizes) {
    it(`${title}, ${String(roundCount)} rounds, seed ${String(testSeed)}`, async function () {
      this.timeout(60_000 + roundCount * 15_000);
      const run = new CrashRun(testSeed, env, modes);
      for (let round = 0; round < roundCount; round++) await run.round();
      await run.finish();
      assert.isAbove(run.ledger.acknowledgedCount, roundCount);
    });
  }
});
