/** How much slower ingest at full rate is while one client asks heavy queries without a pause. */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, ingestRequest, jsonRequest } from './connection.js';
import { buildLoad } from './generator.js';
import { median, type Measurement } from './report.js';

const hosts = 100;
const rounds = 5;
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
    await send(connection, steps, 0);
    const slower: number[] = [];
    let queries = 0;
    for (let round = 0; round < rounds; round++) {
      const alone = await send(connection, steps, 1 + 2 * round);
      const load = new QueryLoad();
      const running = load.run(server);
      const beside = await send(connection, steps, 2 + 2 * round);
      queries += await load.stop(running);
      slower.push((beside / alone - 1) * 100);
    }
    connection.close();
    const note = `${String(rounds)} rounds, ${String(queries)} queries`;
    return [
      {
        name: 'ingest beside a heavy query, slower by, p50',
        value: median(slower),
        unit: '%',
        target: { most: mostSlower },
        note,
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
async function send(connection: Connection, steps: number, share: number): Promise<number> {
  const load = buildLoad({ hosts, steps, fieldsPerLine: 10, decimals: 0, share });
  const requests = load.bodies.map(ingestRequest);
  const started = performance.now();
  for (const request of requests) {
    const { status } = await connection.exchange(request);
    if (status !== 200) throw new Error(`ingest was answered with ${String(status)}`);
  }
  return performance.now() - started;
}
