/**
 * Measures the cost of many new series at once, with three samples each and ten series per line.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import {
  folderBytes,
  removeDirectory,
  temporaryDirectory,
  type Server,
} from '../../test/support/server.js';

import { order, startWithAdmin } from '../admin.js';
import { getRequest } from '../connection.js';
import { firstTs, fleetBodies, labelsOf, metrics, stepMs } from '../generator.js';
import { fillWith } from '../query/query.js';
import { reach } from '../reach.js';
import type { Measurement } from '../report.js';
import { timedStart } from '../start.js';

const samplesEach = 3;
/** Work in this time after the last answer counts, too. In milliseconds. */
const behindMs = 2_000;

/** A million series; `--quick`: 50,000. */
export async function measureNewSeries(isQuick: boolean): Promise<Measurement[]> {
  const hosts = isQuick ? 5_000 : 100_000;
  const series = hosts * metrics.length;
  const name = `new series, ${series.toLocaleString('en')} of three samples`;
  const dataDir = temporaryDirectory();
  try {
    const server = await startWithAdmin(dataDir);
    const rows = await takeIn(server, hosts);
    await server.kill();
    rows.push(...(await restart(dataDir)));
    return [...rows, onDisk(dataDir, series)].map((row) => ({
      ...row,
      name: `${name}, ${row.name}`,
    }));
  } finally {
    removeDirectory(dataDir);
  }
}

async function takeIn(server: Server, hosts: number): Promise<Measurement[]> {
  const before = server.cpuSeconds();
  await fillWith(server, fleetBodies(hosts, samplesEach));
  await pause(behindMs);
  const cpuSeconds = server.cpuSeconds() - before;
  const { newSeries } = reach;
  return [
    { name: 'server CPU', value: cpuSeconds, unit: 's', target: { most: newSeries.cpuSeconds } },
    {
      ...{ name: 'memory at most', value: server.peakBytes() / 1e9, unit: 'GB' },
      target: { most: newSeries.peakGb },
    },
  ];
}

/** First a start with all data in the log, then a start after a clean stop. */
async function restart(dataDir: string): Promise<Measurement[]> {
  const killed = await timedStart(dataDir, lastSample());
  await killed.server.stop();
  const stopped = await timedStart(dataDir, lastSample());
  await order(stopped.server, 'flush');
  await order(stopped.server, 'compact');
  await order(stopped.server, 'gc?history=true');
  await stopped.server.stop();
  return [
    {
      ...{ name: 'restart', value: stopped.ms / 1000, unit: 's' },
      target: { most: reach.newSeries.restartSeconds },
    },
    { name: 'restart after a kill', value: killed.ms / 1000, unit: 's' },
  ];
}

/** A query for one series. To answer it, the server must have loaded all series. */
function lastSample(): Buffer {
  const labels = encodeURIComponent(JSON.stringify(labelsOf(0)));
  const window = `start=${String(firstTs)}&end=${String(firstTs + samplesEach * stepMs)}`;
  const metric = `cpu.${metrics[0] ?? ''}`;
  return getRequest(`/api/v1/query/range?metric=${metric}&labels=${labels}&${window}`);
}

/** All files except RESERVE, without history. */
function onDisk(dataDir: string, series: number): Measurement {
  const parts = partsOf(dataDir).map(([name, bytes]): [string, number] => [name, bytes / series]);
  return {
    name: 'on disk, compacted',
    value: parts.reduce((sum, [, bytes]) => sum + bytes, 0),
    unit: 'B/series',
    target: { most: reach.newSeries.bytesASeries },
    note: parts.map(([name, bytes]) => `${name} ${bytes.toFixed(1)}`).join(', '),
  };
}

/** The size of each file or folder in the data directory, except RESERVE. */
function partsOf(dataDir: string): [string, number][] {
  const all = readdirSync(dataDir, { withFileTypes: true });
  return all
    .filter(({ name }) => name !== 'RESERVE')
    .map((entry): [string, number] => {
      const file = path.join(dataDir, entry.name);
      return [entry.name, entry.isDirectory() ? folderBytes(file) : statSync(file).size];
    })
    .filter(([, bytes]) => bytes > 0);
}
