/**
 * `npm run demo`: real series in over HTTP, kill -9 after the last acknowledgement, restart, and
 * every point back and compared. Exit code 1 when anything differs. Then the server stays, for a
 * look at the data, until Ctrl-C; `--once` ends here. `--data DIR` takes another folder.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Client, maximumTs, minimumTs } from '../test/support/client.js';
import {
  folderBytes,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Progress, paint } from './progress.js';
import { expectedPoints, readSeriesFiles, type SeriesFile } from './series-file.js';

const defaultFolder = fileURLToPath(new URL('../../examples/data', import.meta.url));
const linesPerRequest = 5_000;

interface Loaded {
  readonly points: number;
  readonly bytes: number;
  readonly seconds: number;
}

interface Compared {
  readonly points: number;
  readonly seconds: number;
  /** What differs, as sentences; empty when nothing does. */
  readonly differences: readonly string[];
}

const { values: flags } = parseArgs({
  options: { data: { type: 'string' }, once: { type: 'boolean' } },
});
try {
  process.exitCode = await demo(flags.data ?? defaultFolder, flags.once === true);
} catch (error) {
  console.error(`\n${paint('red', '✗')} ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function demo(folder: string, isOnce: boolean): Promise<number> {
  const files = readSeriesFiles(folder);
  if (files.length === 0) throw new Error(`there is no CSV file below ${folder}`);
  const dataDir = temporaryDirectory();
  console.log(`\n${paint('bold', 'seriesdb demo')}: real data in, power cut, real data out\n`);
  let server = await startServer({ dataDir });
  try {
    const loaded = await load(files, server);
    await server.kill();
    console.log('  kill -9   right after the last acknowledgement');

    const restarted = performance.now();
    server = await startServer({ dataDir });
    const restartSeconds = (performance.now() - restarted) / 1000;
    console.log(`  restart   listening again after ${restartSeconds.toFixed(2)} s`);

    const compared = await compare(files, server);
    const { code } = await server.stop();
    if (code !== 0) throw new Error(`the server ended with ${String(code)}`);
    const diskBytes = folderBytes(path.join(dataDir, 'objects'));
    summarize(files, { loaded, compared, diskBytes });
    if (compared.differences.length > 0) return 1;
    if (isOnce) return 0;
    server = await startServer({ dataDir });
    await untilInterrupted(server);
    return 0;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** Sends every file; each request is on disk when it is acknowledged. */
async function load(files: readonly SeriesFile[], server: Server): Promise<Loaded> {
  const total = files.reduce((sum, file) => sum + file.points.length, 0);
  const progress = new Progress('loading', total);
  const client = new Client(server.port);
  const started = performance.now();
  let bytes = 0;
  for (const file of files) {
    const labels = JSON.stringify(file.labels);
    const prefix = `{"metric":${JSON.stringify(file.metric)},"labels":${labels}`;
    for (let from = 0; from < file.points.length; from += linesPerRequest) {
      const points = file.points.slice(from, from + linesPerRequest);
      const lines = points.map(({ ts, text }) => `${prefix},"ts":${String(ts)},"value":${text}}\n`);
      const body = lines.join('');
      const ingested = await client.ingest(body);
      if (ingested !== points.length) {
        throw new Error(`${String(points.length)} points sent, ${String(ingested)} acknowledged`);
      }
      bytes += Buffer.byteLength(body);
      progress.advance(points.length);
    }
  }
  const seconds = (performance.now() - started) / 1000;
  client.close();
  progress.finish(`${figure(files.length)} series, ${figure(total)} points, all acknowledged`);
  return { points: total, bytes, seconds };
}

/** Reads every series back over all of time and holds it against its file. */
async function compare(files: readonly SeriesFile[], server: Server): Promise<Compared> {
  const progress = new Progress('reading', files.length);
  const client = new Client(server.port);
  const started = performance.now();
  const differences: string[] = [];
  let points = 0;
  for (const file of files) {
    const { metric, labels } = file;
    const received = await client.rangeGet({ metric, labels, start: minimumTs, end: maximumTs });
    const expected = expectedPoints(file);
    points += expected.length;
    const name = `${labels.source}/${labels.file}`;
    if (received.length !== expected.length) {
      differences.push(
        `${name}: ${figure(expected.length)} points expected, ${figure(received.length)} came back`,
      );
    }
    const at = expected.findIndex(
      ({ ts, value }, index) =>
        received[index]?.ts !== ts || !Object.is(received[index].value, value),
    );
    const wanted = expected[at];
    if (wanted !== undefined) {
      const got = received[at];
      differences.push(
        `${name}: point ${String(at)} should be ${String(wanted.ts)} = ${String(wanted.value)}, ` +
          `but is ${String(got?.ts)} = ${String(got?.value)}`,
      );
    }
    progress.advance(1);
  }
  client.close();
  progress.finish(`${figure(points)} points read back and compared`);
  return { points, seconds: (performance.now() - started) / 1000, differences };
}

interface Outcome {
  readonly loaded: Loaded;
  readonly compared: Compared;
  readonly diskBytes: number;
}

function summarize(files: readonly SeriesFile[], { loaded, compared, diskBytes }: Outcome): void {
  const csvBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const repeated = loaded.points - compared.points;
  const rate = figure(Math.round(loaded.points / loaded.seconds));
  const perPoint = (diskBytes / compared.points).toFixed(2);
  const rows: [string, string][] = [
    ['series', figure(files.length)],
    ['points sent', `${figure(loaded.points)}, ${figure(repeated)} of them for a time seen before`],
    ['points kept', `${figure(compared.points)}, the last value of each time`],
    ['sent', `${megabytes(loaded.bytes)} of NDJSON in ${loaded.seconds.toFixed(2)} s`],
    ['rate', `${rate} points/s, one connection, on disk before each 200`],
    [
      'on disk',
      `${perPoint} bytes per point: ${megabytes(diskBytes)}, the CSV ${megabytes(csvBytes)}`,
    ],
  ];
  console.log('');
  for (const [name, text] of rows) console.log(`  ${paint('dim', name.padEnd(12))} ${text}`);
  console.log('');
  if (compared.differences.length === 0) {
    console.log(`  ${paint('green', '✓')} Every point came back, bit for bit.\n`);
    return;
  }
  for (const one of compared.differences) console.log(`  ${paint('red', '✗')} ${one}`);
  console.log('');
}

/** Says where the data can be looked at, and waits for Ctrl-C. */
async function untilInterrupted(server: Server): Promise<void> {
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        resolve();
      });
  });
  console.log(`  ${paint('bold', 'Look at the data')}: ${server.url}/#/?t=all`);
  console.log('  Ctrl-C ends this server and removes its data.\n');
  await Promise.race([interrupted, server.exit]);
  await server.stop();
}

function figure(count: number): string {
  return count.toLocaleString('en');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
