/**
 * Measures many small concurrent requests, as collectors send them: ten metrics of one host each.
 */
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';

import { ingestRequest } from '../connection.js';
import { firstTs, labelsOf, metrics, stepMs } from '../generator.js';
import { askAll } from '../query/ask.js';
import { reach } from '../reach.js';
import type { Measurement } from '../report.js';

const connections = 64;
/** Hosts of one connection, which it writes in turn. */
export const kSmallHosts = 64;
const mostMs = 20_000;

export async function measureRequests(isQuick: boolean): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const [first, count] = [200 * connections, (isQuick ? 400 : 1_600) * connections];
    await askAll(server, smallRequests(0, first), { connections, mostMs });
    const requests = smallRequests(first, count);
    const before = process.cpuUsage();
    const tally = await askAll(server, requests, { connections, mostMs });
    const used = process.cpuUsage(before);
    const wallSeconds = tally.count / tally.perSecond;
    const client = (used.user + used.system) / 1e6 / wallSeconds;
    const lineMs = tally.cpuMs / metrics.length;
    return [
      {
        name: `ingest of small requests, 10 lines, ${String(connections)} connections`,
        value: tally.perSecond * metrics.length,
        unit: 'lines/s',
        target: { least: reach.smallLinesPerSecond },
        note:
          `p50 ${tally.p50Ms.toFixed(2)} ms, p99 ${tally.p99Ms.toFixed(2)} ms, ` +
          `the client had ${client.toFixed(2)} of a core`,
      },
      { name: 'the same by server CPU', value: 1000 / lineMs, unit: 'lines/s' },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/**
 * `count` requests from the number `first` on, for one host after the other. No two have the same
 * time.
 */
export function smallRequests(first: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => {
    const number = first + at;
    const labels = JSON.stringify(labelsOf(number % kSmallHosts));
    const ts = String(firstTs + Math.floor(number / kSmallHosts) * stepMs);
    const lines = metrics.map(
      (metric, place) =>
        `{"metric":"cpu.${metric}","labels":${labels},"ts":${ts},"value":${String((number * 7 + place) % 100)}}\n`,
    );
    return ingestRequest(Buffer.from(lines.join(''), 'latin1'));
  });
}
