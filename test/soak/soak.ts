/**
 * A server under everything at once: ingest, deletions, flushes, reads, queries, discovery, status
 * and metrics. The ledger judges every read, also while its series change. Each round has a fresh
 * directory, whose segments are many and small.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { Ledger } from '../crash/ledger.js';
import { ask } from '../support/admin-server.js';
import { Client, UnexpectedAnswer } from '../support/client.js';
import { allThreadsServe, askingOf, listenerFlags } from '../support/listener-threads.js';
import { Random } from '../support/random.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
  type ServerOptions,
} from '../support/server.js';

const listenerCount = 3;
const writerCount = 3;
const partCount = 3;
const flushEveryMs = 100;
const sanitizerWords = /ERROR: \w+Sanitizer|runtime error:/;

type Act = (client: Client, random: Random) => Promise<unknown>;

export class SoakRound {
  readonly ledger = new Ledger();
  requestCount = 0;
  private readonly random: Random;
  private readonly options: ServerOptions = {
    dataDir: temporaryDirectory(),
    args: ['--admin-listen', '127.0.0.1:0', ...listenerFlags(listenerCount)],
    env: {
      SERIESDB_MEMTABLE_MAX_BYTES: '65536',
      SERIESDB_COMPACTION_FACTOR: '2',
      SERIESDB_ADMIN_ENABLED: 'true',
    },
  };

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Load for so long, then the judgement: at once, and again after a polite end. */
  async run(durationMs: number): Promise<void> {
    const server = await startServer(this.options);
    await allThreadsServe(askingOf(server.port), listenerCount);
    const until = performance.now() + durationMs;
    const acts: Act[] = [
      ...Array.from(
        { length: writerCount },
        (_, writer) => (client: Client, random: Random) => this.write(client, writer, random),
      ),
      (client, random) =>
        this.ledger.checkLive(client, random.below(writerCount), random.below(partCount)),
      (client, random) => asked(client, random),
      (client, random) => looked(client, random),
      () => this.flush(server),
    ];
    await Promise.all(acts.map(async (act) => this.repeat(server, act, until)));
    await this.judge(server);
    await this.judge(await startServer(this.options));
    removeDirectory(this.options.dataDir);
  }

  private async repeat(server: Server, act: Act, until: number): Promise<void> {
    const client = new Client(server.port);
    const random = new Random(this.random.next32());
    try {
      while (performance.now() < until) {
        await act(client, random);
        this.requestCount += 1;
      }
    } catch (error) {
      // A server that died says more than the connection that it broke.
      throw new Error(`${String(error)}\n${server.printed()}`, { cause: error });
    } finally {
      client.close();
    }
  }

  private async judge(server: Server): Promise<void> {
    const client = new Client(server.port);
    await this.ledger.check(client, writerCount);
    const status = await client.get('/status');
    assert.include(status.body, '"status":"ok"', status.body);
    client.close();
    const { code, output } = await server.stop();
    assert.strictEqual(code, 0, output);
    assert.notMatch(output, sanitizerWords);
  }

  private async write(client: Client, writer: number, random: Random): Promise<void> {
    const earlier = random.chance(0.2)
      ? this.ledger.pick(writer, random.chance(0.7) ? 'acknowledged' : 'absent', random)
      : null;
    const entry = earlier ?? this.ledger.open(writer, 1 + random.below(100));
    const isDeletion = entry.fate === 'acknowledged';
    const body = isDeletion ? this.ledger.deletionOf(entry) : this.ledger.linesOf(entry);
    this.ledger.settleOne(entry, 'unknown');
    for (;;) {
      const route = isDeletion ? '/api/v1/seriesql' : '/api/v1/ingest';
      const answer = await client.request('POST', route, { body });
      if (answer.status === 200) break;
      if (answer.status !== 503) throw new UnexpectedAnswer(route, answer);
      await sleep(5);
    }
    this.ledger.settleOne(entry, isDeletion ? 'absent' : 'acknowledged');
  }

  private async flush(server: Server): Promise<void> {
    await sleep(flushEveryMs);
    for (const order of this.random.chance(0.2) ? ['flush', 'compact'] : ['flush']) {
      const { status, body } = await ask(server.adminPort, `/__admin/${order}`, { method: 'POST' });
      assert.strictEqual(status, 200, body);
      assert.notInclude(body, '"status":"failed"');
    }
  }
}

const statements = [
  'select tag.writer, tag.part, count(*), last(value) from ledger where time >= 0 group by 1, 2',
  "select tag.part, time, value from ledger{writer='1'} where value > 3 and time >= 0 order by time desc limit 50",
  'select time_bucket(7ms, time) as bucket, avg(value), max(value) from ledger where time >= 0 group by 1 limit 20',
  'select tag.writer, value + 1 from latest where time >= 0',
  'show metrics',
];

/** A statement; metrics that are not there yet, or no more, are an answer as well. */
async function asked(client: Client, random: Random): Promise<void> {
  const answer = await client.request('POST', '/api/v1/seriesql', {
    body: random.pick(statements),
  });
  if (![200, 201, 404].includes(answer.status)) throw new UnexpectedAnswer('query', answer);
}

const windows = '"start":0,"end":90000,"baseline_start":90001,"baseline_end":900000';
const looks: readonly (readonly [string, string | null])[] = [
  ['/status', null],
  ['/metrics', null],
  ['/debug/compat/stats', null],
  ['/debug/compat/catalog', null],
  ['/api/v1/metrics/find', '{}'],
  ['/api/v1/metrics/health', '{}'],
  ['/api/v1/series/find', '{"metric":"ledger"}'],
  ['/api/v1/labels/values', '{"key":"part"}'],
  ['/api/v1/query/find', '{"tags":{"writer":"1"}}'],
  ['/api/v1/annotations/query', '{}'],
  ['/api/v1/annotations/write', '{"kind":"soak","title":"a note","start":1}'],
  [
    '/api/v1/query/compare',
    `{"metric":"latest","labels":{"writer":"0"},"aggregate":"sum",${windows}}`,
  ],
];

/** Requests one of the routes that read the whole database. */
async function looked(client: Client, random: Random): Promise<void> {
  const [path, body] = random.pick(looks);
  const answer = body === null ? await client.get(path) : await client.postJson(path, body);
  if (![200, 201, 404].includes(answer.status)) throw new UnexpectedAnswer(path, answer);
}
