/** Measures the rate of durable ingest, by the server's CPU time and by the wall clock. */
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';

import { Connection, bodyText, getRequest, ingestRequest, lineRequest } from '../connection.js';
import {
  buildLoad,
  hourMs,
  metrics,
  stepMs,
  type LoadFormat,
  type LoadShape,
} from '../generator.js';
import { reach } from '../reach.js';
import type { Measurement } from '../report.js';

const known = { hosts: 100, values: 'integer walk' } as const;
/** Samples per second of the server's CPU time, by fields per line. */
const targets = {
  ndjson: { 1: 3e6, 10: 6e6 },
  'line protocol': { 1: 5e6, 10: 12e6 },
} as const;

/** One and four connections; one sample and ten fields per line. */
export async function measureIngest(isQuick: boolean): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const format of ['ndjson', 'line protocol'] as const) {
    for (const fieldsPerLine of [1, 10] as const) {
      for (const connections of [1, 4] as const) {
        const allSteps = fieldsPerLine === 1 ? 4_000 : 12_000;
        const steps = Math.round(allSteps / connections / (isQuick ? 8 : 1));
        const one = { format, fieldsPerLine, connections, steps, ...known };
        measurements.push(...describe(one, await ingestOnce(one)));
      }
    }
  }
  return measurements;
}

/** A day of new hosts (`--quick`: two hours), with rounded values and with full precision. */
export async function measureNewHosts(isQuick: boolean): Promise<Measurement[]> {
  const hours = isQuick ? 2 : 24;
  const steps = hours * (hourMs / stepMs);
  const measurements: Measurement[] = [];
  for (const values of ['2-decimal walk', 'doubles'] as const) {
    const shape = { format: 'ndjson', hosts: 50, steps, fieldsPerLine: 10, values } as const;
    const { samples, cpuSeconds } = await ingestOnce({ ...shape, connections: 1 });
    measurements.push({
      name: `new hosts, 50 for ${String(hours)} h, ${values}, by server CPU`,
      value: samples / cpuSeconds,
      unit: '/s',
      target: { least: reach.newHosts[values] },
      note: `${(samples / 1e6).toFixed(1)} M samples of ${String(50 * metrics.length)} series`,
    });
  }
  return measurements;
}

interface IngestCase extends LoadShape {
  readonly format: LoadFormat;
  readonly connections: number;
}

/** Ingest into a new server. Each connection has its own `hosts` hosts. */
async function ingestOnce({ connections: count, ...shape }: IngestCase): Promise<IngestCost> {
  const shares = Array.from({ length: count }, (_, share) => buildLoad({ ...shape, share }));
  const requestOf = shape.format === 'ndjson' ? ingestRequest : lineRequest;
  const requests = shares.map(({ bodies }) => bodies.map(requestOf));
  const samples = shares.reduce((sum, share) => sum + share.samples, 0);
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);

  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connections = await Promise.all(requests.map(async () => Connection.open(server.port)));
    const cpuBefore = server.cpuSeconds();
    const started = performance.now();
    await Promise.all(
      connections.map(async (connection, at) => sendAll(connection, requests[at] ?? [])),
    );
    const wallSeconds = (performance.now() - started) / 1000;
    const cpuSeconds = server.cpuSeconds() - cpuBefore;
    const stored = await storedSamples(connections[0]);
    connections.forEach((connection) => {
      connection.close();
    });
    if (stored !== samples) {
      throw new Error(`${String(samples)} samples sent, ${String(stored)} stored`);
    }
    return { samples, bytes, wallSeconds, cpuSeconds };
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

export async function sendAll(connection: Connection, requests: readonly Buffer[]): Promise<void> {
  for (const request of requests) {
    const answer = await connection.exchange(request, { keepText: true });
    if (answer.status !== 200 && answer.status !== 204) {
      throw new Error(`ingest was answered with ${answer.text.slice(0, 300)}`);
    }
  }
}

/** The server's own count of samples, since answers of some formats have none. */
export async function storedSamples(connection: Connection | undefined): Promise<number> {
  const answer = await connection?.exchange(getRequest('/status'), { keepText: true });
  const count = /"ingest_total":(\d+)/.exec(answer === undefined ? '' : bodyText(answer))?.[1];
  return Number(count ?? NaN);
}

interface IngestCost {
  readonly samples: number;
  readonly bytes: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

function describe(one: IngestCase, cost: IngestCost): Measurement[] {
  const what = one.format === 'ndjson' ? 'ingest' : 'ingest of line protocol';
  const lines = one.fieldsPerLine === 1 ? 'one sample a line' : 'ten fields a line';
  const sockets = one.connections === 1 ? '1 connection' : `${String(one.connections)} connections`;
  const megabytes = (cost.bytes / 1e6).toFixed(0);
  return [
    {
      name: `${what}, ${lines}, ${sockets}, by server CPU`,
      value: cost.samples / cost.cpuSeconds,
      unit: '/s',
      target: { least: targets[one.format][one.fieldsPerLine] },
      note: `${(cost.samples / 1e6).toFixed(1)} M samples, ${megabytes} MB, fsync always`,
    },
    {
      name: `${what}, ${lines}, ${sockets}, by the wall`,
      value: cost.samples / cost.wallSeconds,
      unit: '/s',
    },
  ];
}
