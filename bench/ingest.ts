/** How fast durable ingest is: by the server's CPU time, and by the clock on the wall. */
import { removeDirectory, startServer, temporaryDirectory } from '../test/support/server.js';

import { Connection, bodyText, ingestRequest } from './connection.js';
import { buildLoad } from './generator.js';
import type { Measurement } from './report.js';

const hostsPerConnection = 100;
const targets = { 1: 3e6, 10: 6e6 } as const;

/** One and four connections, one sample and ten fields a line. */
export async function measureIngest(isQuick: boolean): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const fieldsPerLine of [1, 10] as const) {
    for (const connections of [1, 4] as const) {
      const allSteps = fieldsPerLine === 1 ? 4_000 : 12_000;
      const steps = Math.round(allSteps / connections / (isQuick ? 8 : 1));
      measurements.push(...(await ingestOnce({ fieldsPerLine, connections, steps })));
    }
  }
  return measurements;
}

interface IngestCase {
  readonly fieldsPerLine: 1 | 10;
  readonly connections: number;
  readonly steps: number;
}

async function ingestOnce(one: IngestCase): Promise<Measurement[]> {
  const shares = Array.from({ length: one.connections }, (_, share) =>
    buildLoad({
      hosts: hostsPerConnection,
      steps: one.steps,
      fieldsPerLine: one.fieldsPerLine,
      values: 'integer walk',
      share,
    }),
  );
  const requests = shares.map(({ bodies }) => bodies.map(ingestRequest));
  const samples = shares.reduce((sum, share) => sum + share.samples, 0);
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);

  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connections = await Promise.all(requests.map(async () => Connection.open(server.port)));
    const cpuBefore = server.cpuSeconds();
    const started = performance.now();
    const ingested = await Promise.all(
      connections.map(async (connection, at) => sendAll(connection, requests[at] ?? [])),
    );
    const wallSeconds = (performance.now() - started) / 1000;
    const cpuSeconds = server.cpuSeconds() - cpuBefore;
    connections.forEach((connection) => {
      connection.close();
    });
    const acknowledged = ingested.reduce((sum, count) => sum + count, 0);
    if (acknowledged !== samples) {
      throw new Error(`${String(samples)} samples sent, ${String(acknowledged)} acknowledged`);
    }
    return describe(one, { samples, bytes, wallSeconds, cpuSeconds });
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function sendAll(connection: Connection, requests: readonly Buffer[]): Promise<number> {
  let ingested = 0;
  for (const request of requests) {
    const answer = await connection.exchange(request, { keepText: true });
    const count = /"ingested":(\d+)/.exec(bodyText(answer))?.[1];
    if (answer.status !== 200 || count === undefined) {
      throw new Error(`ingest was answered with ${answer.text.slice(0, 300)}`);
    }
    ingested += Number(count);
  }
  return ingested;
}

interface IngestCost {
  readonly samples: number;
  readonly bytes: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

function describe(one: IngestCase, cost: IngestCost): Measurement[] {
  const lines = one.fieldsPerLine === 1 ? 'one sample a line' : 'ten fields a line';
  const sockets = one.connections === 1 ? '1 connection' : `${String(one.connections)} connections`;
  const megabytes = (cost.bytes / 1e6).toFixed(0);
  return [
    {
      name: `ingest, ${lines}, ${sockets}, by server CPU`,
      value: cost.samples / cost.cpuSeconds,
      unit: '/s',
      target: { least: targets[one.fieldsPerLine] },
      note: `${(cost.samples / 1e6).toFixed(1)} M samples, ${megabytes} MB, fsync always`,
    },
    {
      name: `ingest, ${lines}, ${sockets}, by the wall`,
      value: cost.samples / cost.wallSeconds,
      unit: '/s',
    },
  ];
}
