/**
 * Measures the server's cost of remote_read: many samples of a fleet from segments. Answers are
 * streamed as chunks, or held in memory as one message.
 */
import { readRequest } from '../test/support/remote-read.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, remoteReadRequest } from './connection.js';
import { firstTs, fleetBodies, metrics, stepMs } from './generator.js';
import { packed } from './ingest/snappy.js';
import type { Measurement } from './report.js';

const kHosts = 100;
const repetitions = 3;
/** Response types by their number in the protocol. */
const kinds = [
  { type: 1, name: 'STREAMED_XOR_CHUNKS', target: { least: 40e6 } },
  { type: 0, name: 'SAMPLES' },
] as const;

export async function measureRemoteRead(isQuick: boolean): Promise<Measurement[]> {
  const steps = isQuick ? 1_000 : 10_000;
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(fleetBodies(kHosts, steps));
    connection.close();
    // After a restart, reads come from segments.
    await server.stop();
    server = await startServer({ dataDir });
    const measurements: Measurement[] = [];
    for (const kind of kinds) measurements.push(await measureRead(server, steps, kind));
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function measureRead(
  server: Server,
  steps: number,
  { name, type, ...rest }: (typeof kinds)[number],
): Promise<Measurement> {
  const range = { start: firstTs, end: firstTs + steps * stepMs };
  const matchers = [['__name__', '=~', 'cpu.+']] as const;
  const request = remoteReadRequest(packed(readRequest([{ ...range, matchers }], [type])));
  const connection = await Connection.open(server.port);
  const samples = kHosts * metrics.length * steps;
  let bytes = await readOnce(connection, request);
  const cpuBefore = server.cpuSeconds();
  const started = performance.now();
  for (let run = 0; run < repetitions; run++) bytes = await readOnce(connection, request);
  const seconds = (performance.now() - started) / 1000 / repetitions;
  const cpuSeconds = (server.cpuSeconds() - cpuBefore) / repetitions;
  connection.close();
  return {
    name: `remote_read as ${name}, by server CPU`,
    value: samples / cpuSeconds,
    unit: '/s',
    ...rest,
    note:
      `${(samples / 1e6).toFixed(1)} M samples from segments, ` +
      `${(bytes / samples).toFixed(2)} B each, ${seconds.toFixed(2)} s`,
  };
}

async function readOnce(connection: Connection, request: Buffer): Promise<number> {
  const { status, bytes } = await connection.exchange(request);
  if (status !== 200) throw new Error(`remote_read was answered with ${String(status)}`);
  return bytes;
}
