/** How long one client waits for the raw points of one series as JSON. */
import * as zlib from 'node:zlib';

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

/** Of answers, with how it is without. */
const hasZstd = 'createZstdCompress' in zlib;
const codings = ['identity', 'gzip', 'br', ...(hasZstd ? ['zstd'] : [])];

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
    const read = await readAll(server, 'from segments, after a restart');
    const coded: Measurement[] = [];
    for (const coding of codings) coded.push(...(await readCoded(server, coding)));
    return [...read, ...fresh, ...coded];
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

/** What a month costs the server, and the network. */
async function readCoded(server: Server, coding: string): Promise<Measurement[]> {
  const request = rangeRequest(monthPoints, coding);
  const connection = await Connection.open(server.port);
  await connection.exchange(request);
  const times: number[] = [];
  let size = 0;
  const cpuBefore = server.cpuSeconds();
  for (let run = 0; run < repetitions; run++) {
    const started = performance.now();
    const { status, bytes } = await connection.exchange(request);
    if (status !== 200) throw new Error(`range was answered with ${String(status)}`);
    times.push(performance.now() - started);
    size = bytes;
  }
  const cpuMs = ((server.cpuSeconds() - cpuBefore) * 1000) / repetitions;
  connection.close();
  const name = `range, a month, ${coding}`;
  return [
    { name: `${name}, p50`, value: median(times), unit: 'ms' },
    { name: `${name}, CPU of the server`, value: cpuMs, unit: 'ms' },
    { name: `${name}, on the wire`, value: size / 2 ** 20, unit: 'MiB' },
  ];
}

async function readOnce(server: Server, points: number): Promise<number> {
  const request = rangeRequest(points);
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

/** The last points of the series, compressed where a `coding` is named. */
function rangeRequest(points: number, coding?: string): Buffer {
  const end = firstTs + (monthPoints - 1) * stepMs;
  const start = end - (points - 1) * stepMs;
  const labels = encodeURIComponent(JSON.stringify(labelsOf(0)));
  const metric = `cpu.${metrics[0] ?? ''}`;
  const selector = `metric=${metric}&labels=${labels}`;
  return getRequest(`/api/v1/query/range?${selector}&start=${start}&end=${end}`, coding);
}
