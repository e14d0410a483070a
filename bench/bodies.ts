/**
 * Measures the wait of a small query while many connections send large bodies at once. Another
 * thread sends the bodies, so that sending does not delay the query's clock.
 */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { removeDirectory, startServer, temporaryDirectory } from '../test/support/server.js';

import { Connection, getRequest, ingestRequest } from './connection.js';
import { buildLoad, firstTs, labelsOf, type LoadShape } from './generator.js';
import { percentile, type Measurement } from './report.js';

const connectionCount = 48;
const bodyMegabytes = 20;
/**
 * The number of different bodies. Connections share them, since a gigabyte of text would be too
 * much.
 */
const bodyCount = 4;
const hosts = 100;
const mostMs = 20;

interface LoadOptions {
  readonly port: number;
  /** Bodies per connection, sent one after the other. */
  readonly rounds: number;
}

if (!isMainThread) await sendBodies(workerData as LoadOptions);

export async function measureBesideBodies(isQuick: boolean): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const client = await Connection.open(server.port);
    // Ingest all series once, since a server that runs for a while knows them.
    for (let share = 0; share <= bodyCount; share++) {
      await client.ingest(buildLoad({ ...shapeOf(share), steps: 10 }).bodies);
    }
    const options: LoadOptions = { port: server.port, rounds: isQuick ? 1 : 3 };
    const load = new BodyLoad(options);
    const waits = await load.during(() => askOnce(client));
    client.close();
    const megabytes = connectionCount * bodyMegabytes * options.rounds;
    const rate = megabytes / (load.tookMs / 1000);
    return [
      {
        name: `a small query beside ${connectionCount} bodies of ${bodyMegabytes} MB, p99`,
        value: percentile(waits, 0.99),
        unit: 'ms',
        target: { most: mostMs },
        note:
          `${waits.length} queries, median ${percentile(waits, 0.5).toFixed(1)} ms, ` +
          `longest ${percentile(waits, 1).toFixed(1)} ms; ${rate.toFixed(0)} MB/s taken in`,
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** A query for ten samples of one series. */
const question = getRequest(
  `/api/v1/query/range?metric=cpu.usage_user&labels=${encodeURIComponent(
    JSON.stringify(labelsOf(0)),
  )}&start=${firstTs}&end=${firstTs + 100_000}`,
);

async function askOnce(client: Connection): Promise<number> {
  const started = performance.now();
  const { status } = await client.exchange(question);
  if (status !== 200) throw new Error(`the query was answered with ${String(status)}`);
  return performance.now() - started;
}

/** The handle of the sending thread. */
class BodyLoad {
  tookMs = 0;
  readonly #worker: Worker;

  constructor(workerData: LoadOptions) {
    this.#worker = new Worker(fileURLToPath(import.meta.url), { workerData });
  }

  /** Queries repeatedly from the first byte of the bodies to the last acknowledgement. */
  async during(ask: () => Promise<number>): Promise<number[]> {
    await this.#said('begun');
    const startedAt = performance.now();
    const load = { isOver: false };
    const over = this.#said('over').then(() => {
      load.isOver = true;
    });
    const waits: number[] = [];
    while (!load.isOver) {
      waits.push(await ask());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await over;
    this.tookMs = performance.now() - startedAt;
    await this.#worker.terminate();
    return waits;
  }

  #said(word: 'begun' | 'over'): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#worker.on('message', (message) => {
        if (message === word) resolve();
      });
    });
  }
}

async function sendBodies({ port, rounds }: LoadOptions): Promise<void> {
  const requests = Array.from({ length: bodyCount }, (_, share) => requestOf(share + 1));
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => Connection.open(port)),
  );
  parentPort?.postMessage('begun');
  await Promise.all(
    connections.map(async (connection, at) => {
      const request = requests[at % bodyCount];
      for (let round = 0; round < rounds; round++) {
        if (request !== undefined) await connection.store(request);
      }
      connection.close();
    }),
  );
  parentPort?.postMessage('over');
}

/** A request with a body of `bodyMegabytes`. */
function requestOf(share: number): Buffer {
  const bytesPerStep = buildLoad({ ...shapeOf(share), steps: 20 }).bytes / 20;
  const steps = Math.round((bodyMegabytes * 1e6) / bytesPerStep);
  return ingestRequest(Buffer.concat(buildLoad({ ...shapeOf(share), steps }).bodies));
}

/** Each share has its own hosts. */
function shapeOf(share: number): Omit<LoadShape, 'steps'> {
  return { hosts, fieldsPerLine: 1, values: 'integer walk', share };
}
