/**
 * Prometheus load of a fleet: repeated scrapes of the same series, with ten labels and one sample
 * each.
 */
import { writeRequest } from '../../test/support/remote-write.js';
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';

import { Connection, remoteWriteRequest } from '../connection.js';
import { packed } from './snappy.js';
import { sendAll, storedSamples } from './ingest.js';
import { firstTs, stepMs } from '../generator.js';
import { roundsOf, type WrittenLoad } from './load.js';
import type { Measurement } from '../report.js';

const kSeries = 6_000;
/** Prometheus sends this many at once. */
const kSeriesPerRequest = 2_000;

export async function measureRemoteWrite(isQuick: boolean): Promise<Measurement[]> {
  const { warmUp, bodies, samples } = remoteWriteLoad(isQuick ? 10 : 240);
  const requests = bodies.map(remoteWriteRequest);
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    // New series are a separate figure.
    await sendAll(connection, warmUp.map(remoteWriteRequest));
    const before = await storedSamples(connection);
    const cpuBefore = server.cpuSeconds();
    await sendAll(connection, requests);
    const cpuSeconds = server.cpuSeconds() - cpuBefore;
    const stored = (await storedSamples(connection)) - before;
    connection.close();
    const bytes = requests.reduce((sum, request) => sum + request.length, 0);
    const perSample = (bytes / samples).toFixed(0);
    if (stored !== samples) throw new Error(`${String(stored)} samples stored`);
    return [
      {
        name: 'ingest of remote_write, ten labels and one sample a series, by server CPU',
        value: samples / cpuSeconds,
        unit: '/s',
        target: { least: 3.5e6 },
        note:
          `${(samples / 1e6).toFixed(1)} M samples of known series, ` +
          `${perSample} B each in snappy, fsync always`,
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** Bodies in snappy. */
export function remoteWriteLoad(scrapes: number): WrittenLoad {
  return roundsOf(scrapes, kSeries, scrapeBodies);
}

function scrapeBodies(scrape: number): Buffer[] {
  const requests: Buffer[] = [];
  for (let first = 0; first < kSeries; first += kSeriesPerRequest) {
    const series = Array.from({ length: kSeriesPerRequest }, (_, at) =>
      scraped(first + at, firstTs + scrape * stepMs),
    );
    requests.push(packed(writeRequest(series)));
  }
  return requests;
}

function scraped(number: number, ts: number): Parameters<typeof writeRequest>[0][number] {
  const host = String(Math.floor(number / 100));
  const labels = {
    __name__: `node_cpu_seconds_total_${String(number % 100)}`,
    cluster: 'production-eu-west-1',
    container: 'node-exporter',
    cpu: String(number % 16),
    instance: `host-${host}.example.com:9100`,
    job: 'node-exporter',
    mode: number % 2 === 0 ? 'idle' : 'system',
    namespace: 'monitoring',
    pod: `node-exporter-${host}`,
    region: 'eu-west-1',
  };
  return { labels, samples: [[ts, number * 1.25 + (ts % 1000)]] };
}
