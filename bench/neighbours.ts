/**
 * Measures the wait of a well-behaved client beside attackers. It sends one small query every 50 ms
 * over its own connection. Attackers make the server work on many or long texts. The attacks run in
 * another thread, so that they do not delay the client's clock.
 */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { removeDirectory, startServer, temporaryDirectory } from '../test/support/server.js';

import {
  bigLabelSize,
  fleetSeries,
  longSamples,
  oneRowAttacks,
  promqlAttacks,
  seriesqlAttacks,
  wideSeries,
  type Attack,
} from './attacks.js';
import { Connection, HangUp, jsonRequest } from './connection.js';
import { percentile, type Measurement } from './report.js';

const everyMs = 50;
const mostMs = 100;
/** The number of concurrent attackers, each with another attack. */
const manyAttackers = 8;

interface AttackOptions {
  readonly port: number;
  /** Each request is sent repeatedly over its own connection. */
  readonly requests: readonly Uint8Array[];
  readonly forMs: number;
}

if (!isMainThread) await attack(workerData as AttackOptions);

export async function measureNeighbours(isQuick: boolean): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  // One listener thread, so that the client always shares the attackers' thread.
  const args = ['--listeners', '1', '--query-timeout-ms', '5000'];
  const server = await startServer({ dataDir, args });
  try {
    const client = await Connection.open(server.port);
    await client.ingest(bodies());
    client.close();
    const forMs = isQuick ? 1_500 : 5_000;
    const measurements: Measurement[] = [];
    const all = [...promqlAttacks, ...seriesqlAttacks];
    const beside = { port: server.port, forMs };
    for (const one of all) {
      const figure = await measureBeside(one.name, [one], beside);
      measurements.push({ ...figure, target: { most: mostMs } });
    }
    for (const one of oneRowAttacks) {
      const name = `${String(manyAttackers)} at a time of ${one.name}`;
      const some = Array.from({ length: manyAttackers }, () => one);
      const figure = await measureBeside(name, some, beside);
      measurements.push({ ...figure, target: { most: mostMs } });
    }
    for (let first = 0; first < all.length; first += manyAttackers) {
      const some = all.slice(first, first + manyAttackers);
      const name = `${String(some.length)} at a time, from no. ${String(first + 1)} on`;
      measurements.push(await measureBeside(name, some, beside));
    }
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function measureBeside(
  name: string,
  attacks: readonly Attack[],
  { port, forMs }: { readonly port: number; readonly forMs: number },
): Promise<Measurement> {
  const client = await Connection.open(port);
  const requests = attacks.map(({ request }) => request);
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: { port, requests, forMs } satisfies AttackOptions,
  });
  const state = { isOver: false, statuses: '' };
  const over = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (statuses: string) => {
      state.isOver = true;
      state.statuses = statuses;
      resolve();
    });
  });
  const waits: number[] = [];
  let due = performance.now();
  while (!state.isOver) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const { status } = await client.exchange(question);
    if (status !== 200) throw new Error(`the neighbour was answered with ${String(status)}`);
    // A query that waited for the previous one counts that wait, too.
    waits.push(performance.now() - due);
    due += everyMs;
  }
  await over;
  await worker.terminate();
  client.close();
  return {
    name: `a neighbour of ${name}, p99`,
    value: percentile(waits, 0.99),
    unit: 'ms',
    note: `${String(waits.length)} queries, median ${percentile(waits, 0.5).toFixed(1)} ms; answers: ${state.statuses}`,
  };
}

const question = jsonRequest('/api/v1/seriesql', 'select count(*) from one where time >= 0');

/** Runs in the other thread. At the end it reports how often each status came. */
async function attack({ port, requests, forMs }: AttackOptions): Promise<void> {
  const counts = new Map<string, number>();
  const end = performance.now() + forMs;
  await Promise.all(
    requests.map(async (request) => {
      do {
        const outcome = await outcomeOf(port, Buffer.from(request));
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      } while (performance.now() < end);
    }),
  );
  const parts = [...counts].map(([outcome, count]) => `${String(count)} × ${outcome}`);
  parentPort?.postMessage(parts.join(', '));
}

/** The status, or `cut` if the query timed out after its answer began. */
async function outcomeOf(port: number, request: Buffer): Promise<string> {
  const connection = await Connection.open(port);
  try {
    return String((await connection.exchange(request)).status);
  } catch (error) {
    if (error instanceof HangUp && error.received > 0) return 'cut';
    throw error;
  } finally {
    connection.close();
  }
}

function* bodies(): Generator<Buffer> {
  const lineOf = (metric: string, labels: object, [ts, value]: readonly [number, number]): string =>
    `${JSON.stringify({ metric, labels, ts, value })}\n`;
  let text = lineOf('one', { a: '0123456789' }, [1000, 1]);
  text += lineOf('big', { k: 's'.repeat(bigLabelSize) }, [1000, 1]);
  for (let at = 0; at < wideSeries; at += 1) {
    text += lineOf('wide', { i: String(at), a: 'aaaaaaaaaa' }, [1000, at]);
  }
  for (let at = 0; at < fleetSeries; at += 1) {
    const rack = `rack-${String(at % 97)}`;
    const n = `host-${String((at * 7919) % fleetSeries)}-${rack}`;
    text += lineOf('fleet', { i: String(at), n, rack }, [1000, at]);
  }
  for (let at = 0; at < longSamples; at += 1) text += lineOf('long', {}, [at, (at * 37) % 10_007]);
  yield Buffer.from(text);
}
