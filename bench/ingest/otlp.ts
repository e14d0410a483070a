/**
 * OpenTelemetry load of a fleet: repeated points of the same series, with eight attributes each.
 */
import { encodedRequest } from '../../test/support/otlp-request.js';
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';

import { Connection, otlpRequest } from '../connection.js';
import { sendAll, storedSamples } from './ingest.js';
import { firstTs, stepMs } from '../generator.js';
import { roundsOf, type WrittenLoad } from './load.js';
import type { Measurement } from '../report.js';

const kPoints = 6_000;
const kPointsPerRequest = 2_000;
/** Points of one resource. */
const kPointsPerInstance = 200;

export async function measureOtlp(isQuick: boolean): Promise<Measurement[]> {
  const { warmUp, bodies, samples: points } = otlpLoad(isQuick ? 10 : 240);
  const requests = bodies.map(otlpRequest);
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    // New series are a separate figure.
    await sendAll(connection, warmUp.map(otlpRequest));
    const before = await storedSamples(connection);
    const cpuBefore = server.cpuSeconds();
    await sendAll(connection, requests);
    const cpuSeconds = server.cpuSeconds() - cpuBefore;
    const stored = (await storedSamples(connection)) - before;
    connection.close();
    const bytes = requests.reduce((sum, request) => sum + request.length, 0);
    // Each instance adds one sample of target_info.
    const samples = points + points / kPointsPerInstance;
    if (stored !== samples) throw new Error(`${String(stored)} samples stored`);
    return [
      {
        name: 'ingest of OTLP, points of eight attributes, by server CPU',
        value: points / cpuSeconds,
        unit: '/s',
        target: { least: 2e6 },
        note:
          `${(points / 1e6).toFixed(1)} M points of known series, ` +
          `${(bytes / points).toFixed(0)} B each in protobuf, fsync always`,
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** Bodies in protobuf. */
export function otlpLoad(rounds: number): WrittenLoad {
  return roundsOf(rounds, kPoints, roundBodies);
}

function roundBodies(round: number): Uint8Array[] {
  const requests: Uint8Array[] = [];
  const time = BigInt(firstTs + round * stepMs) * 1_000_000n;
  for (let first = 0; first < kPoints; first += kPointsPerRequest) {
    const instances = kPointsPerRequest / kPointsPerInstance;
    const resourceMetrics = Array.from({ length: instances }, (_, at) =>
      instanceMetrics(first / kPointsPerInstance + at, String(time)),
    );
    requests.push(encodedRequest({ resourceMetrics }));
  }
  return requests;
}

function instanceMetrics(instance: number, timeUnixNano: string): object {
  const resource = {
    attributes: attributes({
      ...{ 'service.name': 'shop', 'service.instance.id': `instance-${String(instance)}` },
      ...{ 'k8s.pod.name': `shop-7d9f-${String(instance)}`, 'process.pid': String(instance) },
    }),
  };
  const dataPoints = Array.from({ length: kPointsPerInstance }, (_, number) => ({
    timeUnixNano,
    asDouble: number * 1.25 + Number(BigInt(timeUnixNano) % 1000n),
    attributes: attributes({
      'http.request.method': number % 2 === 0 ? 'GET' : 'POST',
      'http.response.status_code': number % 3 === 0 ? '200' : '404',
      'http.route': `/api/v1/items/${String(number)}`,
      'network.protocol.version': '1.1',
      ...{ 'server.address': 'shop.example.com', 'server.port': '8443', 'url.scheme': 'https' },
      'user.tier': number % 5 === 0 ? 'gold' : 'free',
    }),
  }));
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints };
  return { resource, scopeMetrics: [{ metrics: [{ name: 'http.server.requests', sum }] }] };
}

function attributes(texts: Readonly<Record<string, string>>): object[] {
  return Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
