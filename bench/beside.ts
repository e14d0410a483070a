/** How much slower ingest at full rate is while one client asks heavy queries without a pause. */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, ingestRequest, jsonRequest } from './connection.js';
import { buildLoad } from './generator.js';
import { type Measurement } from './report.js';

const hosts = 100;
/**
 * Pairs of loads: enough that flushes, each of several loads, fall on both sides alike. Of twelve
 * the figure varies by seven per cent to either side.
 */
const pairsOf = (isQuick: boolean): number => (isQuick ? 12 : 36);
const mostSlower = 20;

/** Reads every sample and folds it into many groups. */
const heavy =
  'select tag.host, time_bucket(1h, time) as t, avg(value), stddev(value) from cpu.* ' +
  'where time >= 0 group by tag.host, t';

/** Pairs of equal loads, one alone and one beside the queries; other hosts each time. */
export async function measureIngestBesideQuery(isQuick: boolean): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    const steps = isQuick ? 400 : 2_000;
    const pairs = pairsOf(isQuick);
    const load = (share: number): Buffer[] =>
      buildLoad({ hosts, steps, fieldsPerLine: 10, values: 'integer walk', share }).bodies.map(
        ingestRequest,
      );
    await send(connection, load(0));
    let aloneMs = 0;
    let besideMs = 0;
    let queries = 0;
    const sendAlone = async (share: number): Promise<void> => {
      aloneMs += await send(connection, load(share));
    };
    const sendBeside = async (share: number): Promise<void> => {
      const requests = load(share);
      const heavyLoad = new QueryLoad();
      const running = heavyLoad.run(server);
      besideMs += await send(connection, requests);
      queries += await heavyLoad.stop(running);
    };
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? [sendAlone, sendBeside] : [sendBeside, sendAlone];
      for (const [at, part] of order.entries()) await part(1 + 2 * pair + at);
    }
    connection.close();
    return [
      {
        name: 'ingest beside a heavy query, slower by',
        value: (besideMs / aloneMs - 1) * 100,
        unit: '%',
        target: { most: mostSlower },
        note: `${String(pairs)} pairs of loads, ${String(queries)} queries`,
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

class QueryLoad {
  private isOver = false;

  /** Resolves with the number of queries when it was told to stop. */
  async run(server: Server): Promise<number> {
    const connection = await Connection.open(server.port);
    const request = jsonRequest('/api/v1/seriesql', heavy);
    let count = 0;
    while (!this.isOver) {
      const { status } = await connection.exchange(request);
      if (status !== 200) throw new Error(`the query was answered with ${String(status)}`);
      count += 1;
    }
    connection.close();
    return count;
  }

  async stop(running: Promise<number>): Promise<number> {
    this.isOver = true;
    return running;
  }
}

/** Milliseconds until all of it is acknowledged. */
async function send(connection: Connection, requests: readonly Buffer[]): Promise<number> {
  const started = performance.now();
  for (const request of requests) await connection.store(request);
  return performance.now() - started;
}
