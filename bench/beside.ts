/**
 * Measures how much slower ingest at full rate is while one client queries without pause. It runs a
 * heavy statement, or the PromQL panels of a dashboard.
 */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, getRequest, ingestRequest, jsonRequest } from './connection.js';
import { buildLoad, firstTs, metrics, stepMs } from './generator.js';
import { kMinuteMs } from './peers/asked.js';
import { queryRangePath } from './peers/promql.js';
import { type Measurement } from './report.js';

const hosts = 100;
/**
 * Pairs of loads. There are enough that flushes, each of several loads, fall on both sides equally.
 * With twelve pairs the figure varies by seven per cent to either side.
 */
const pairsOf = (isQuick: boolean): number => (isQuick ? 12 : 36);
const mostSlower = 20;

/** Reads every sample and folds it into many groups. */
const heavy =
  'select tag.host, time_bucket(1h, time) as t, avg(value), stddev(value) from cpu.* ' +
  'where time >= 0 group by tag.host, t';

export async function measureIngestBeside(isQuick: boolean): Promise<Measurement[]> {
  const steps = isQuick ? 400 : 2_000;
  const statement = jsonRequest('/api/v1/seriesql', heavy);
  return [
    await measureBeside('a heavy query', [statement], { steps, isQuick }),
    await measureBeside('a dashboard of PromQL', panelsOf(steps), { steps, isQuick }),
  ];
}

/** The rate of each metric by host, over the whole load by minute. */
function panelsOf(steps: number): readonly Buffer[] {
  const times = { start: firstTs, end: firstTs + steps * stepMs, step: kMinuteMs };
  return metrics.map((metric) => {
    const query = `sum by (host) (rate({"cpu.${metric}"}[5m]))`;
    return getRequest(queryRangePath(query, times));
  });
}

interface LoadSize {
  readonly steps: number;
  readonly isQuick: boolean;
}

/** Pairs of equal loads, one alone and one beside the queries. Each pair has new hosts. */
async function measureBeside(
  what: string,
  asked: readonly Buffer[],
  { steps, isQuick }: LoadSize,
): Promise<Measurement> {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
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
      const queryLoad = new QueryLoad(asked);
      const running = queryLoad.run(server);
      besideMs += await send(connection, requests);
      queries += await queryLoad.stop(running);
    };
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? [sendAlone, sendBeside] : [sendBeside, sendAlone];
      for (const [at, part] of order.entries()) await part(1 + 2 * pair + at);
    }
    connection.close();
    return {
      name: `ingest beside ${what}, slower by`,
      value: (besideMs / aloneMs - 1) * 100,
      unit: '%',
      target: { most: mostSlower },
      note: `${String(pairs)} pairs of loads, ${String(queries)} queries`,
    };
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

class QueryLoad {
  private readonly asked: readonly Buffer[];
  private isOver = false;

  /** Sends these requests in turn. */
  constructor(asked: readonly Buffer[]) {
    this.asked = asked;
  }

  /** Queries until it is told to stop. Resolves with the number of queries. */
  async run(server: Server): Promise<number> {
    const connection = await Connection.open(server.port);
    let count = 0;
    while (!this.isOver) {
      const request = this.asked[count % this.asked.length] ?? Buffer.alloc(0);
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

/** Milliseconds until the whole load is acknowledged. */
async function send(connection: Connection, requests: readonly Buffer[]): Promise<number> {
  const started = performance.now();
  for (const request of requests) await connection.store(request);
  return performance.now() - started;
}
