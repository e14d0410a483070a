/** How long one client waits for the raw points of one series as JSON. */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';
import { parseSamples } from '../test/support/client.js';

import { Connection, bodyText, getRequest } from './connection.js';
import { buildLoad, firstTs, labelsOf, metrics, stepMs } from './generator.js';
import { median, type Measurement } from './report.js';

const monthPoints = 259_200;
const repetitions = 20;

/** Reads a month, a day and an hour, from memory as ingested and from segments after a restart. */
export async function measureRange(): Promise<Measurement[]> {
  const load = buildLoad({
    hosts: 1,
    steps: monthPoints,
    fieldsPerLine: 10,
    values: 'integer walk',
  });
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(load.bodies);
    connection.close();
    const fresh = await readAll(server, 'as ingested');
    await server.stop();
    server = await startServer({ dataDir });
    return [...(await readAll(server, 'from segments, after a restart')), ...fresh];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function readAll(server: Server, where: string): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const points of [monthPoints, 8_640, 360]) {
    const milliseconds = await readOnce(server, points);
    measurements.push({
      name: `range, ${points.toLocaleString('en')} points as JSON, p50`,
      value: milliseconds,
      unit: 'ms',
      ...(points === monthPoints ? { target: { most: 15 } } : {}),
      note: where,
    });
  }
  return measurements;
}

async function readOnce(server: Server, points: number): Promise<number> {
  const end = firstTs + (monthPoints - 1) * stepMs;
  const start = end - (points - 1) * stepMs;
  const labels = encodeURIComponent(JSON.stringify(labelsOf(0)));
  const metric = `cpu.${metrics[0] ?? ''}`;
  const selector = `metric=${metric}&labels=${labels}`;
  const request = getRequest(`/api/v1/query/range?${selector}&start=${start}&end=${end}`);
  const connection = await Connection.open(server.port);
  const first = await connection.exchange(request, { keepText: true });
  const received = parseSamples(bodyText(first)).length;
  if (received !== points) {
    throw new Error(`${String(points)} points asked for, ${String(received)} received`);
  }
  const times: number[] = [];
  for (let run = 0; run < repetitions; run++) {
    const started = performance.now();
    const answer = await connection.exchange(request);
    times.push(performance.now() - started);
    if (answer.status !== 200) throw new Error(`range was answered with ${String(answer.status)}`);
  }
  connection.close();
  return median(times);
}
