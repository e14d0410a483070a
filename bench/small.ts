/** Many series of few samples each: what they take in memory and on disk, and what of it stays. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { ask } from '../test/support/admin-server.js';
import {
  folderBytes,
  removeDirectory,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { order, startWithAdmin } from './admin.js';
import { Connection } from './connection.js';
import { firstTs, labelsOf } from './generator.js';
import type { Measurement } from './report.js';

const bodySizeBytes = 1 << 20;
const minuteMs = 60_000;

/** A million series of ten samples, each flushed alone, and of three; quick: 50,000 of them. */
export async function measureSmall(isQuick: boolean): Promise<Measurement[]> {
  const series = isQuick ? 50_000 : 1_000_000;
  return [...(await measureFlushed(series, 10)), ...(await measureAll(series, 3))];
}

async function measureFlushed(series: number, flushes: number): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startWithAdmin(dataDir);
  try {
    let memtable = 0;
    let segments = 0;
    for (let round = 0; round < flushes; round++) {
      await ingest(server, series, round, 1);
      memtable = Math.max(memtable, await metric(server, 'memory_memtable_bytes'));
      await order(server, 'flush');
      segments = Math.max(segments, await metric(server, 'memory_segment_bytes'));
    }
    await order(server, 'compact');
    await order(server, 'gc?history=true');
    const name = `small, ${String(series)} series`;
    const note = `a sample each, flushed ${String(flushes)} times`;
    const isWhole = series === 1_000_000;
    return [
      {
        name: `${name}, memtable`,
        value: memtable / 1e6,
        unit: 'MB',
        ...(isWhole ? { target: { most: 110 } } : {}),
        note,
      },
      {
        name: `${name}, memtable after`,
        value: (await metric(server, 'memory_memtable_bytes')) / 1e6,
        unit: 'MB',
        target: { most: 1 },
        note,
      },
      {
        name: `${name}, segments in memory`,
        value: segments / 1e6,
        unit: 'MB',
        note: 'at most, before compaction',
      },
      {
        name: `${name}, compacted`,
        value: folderBytes(`${dataDir}/objects`) / series / flushes,
        unit: 'B/sample',
        target: { most: 2 },
        note: 'without history',
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** All files but RESERVE. */
async function measureAll(series: number, samples: number): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startWithAdmin(dataDir);
  try {
    await ingest(server, series, 0, samples);
    await order(server, 'flush');
    await order(server, 'compact');
    await order(server, 'gc?history=true');
    const parts = partsOf(dataDir).map(([name, bytes]): [string, number] => [
      name,
      bytes / series / samples,
    ]);
    return [
      {
        name: `small, ${String(series)} series of ${String(samples)} samples`,
        value: parts.reduce((sum, [, bytes]) => sum + bytes, 0),
        unit: 'B/sample',
        target: { most: 60 },
        note: parts.map(([name, bytes]) => `${name} ${bytes.toFixed(2)}`).join(', '),
      },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** What each file or folder of the data directory takes, RESERVE left out. */
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

/** So many samples of each series, in order of time, from that minute on. */
async function ingest(
  server: Server,
  series: number,
  minute: number,
  samples: number,
): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies(series, minute, samples));
  connection.close();
}

function* bodies(series: number, minute: number, samples: number): Generator<Buffer> {
  let text = '';
  for (let at = minute; at < minute + samples; at++) {
    const ts = String(firstTs + at * minuteMs);
    for (let one = 0; one < series; one++) {
      const labels = JSON.stringify(labelsOf(one));
      const value = String((one * 31 + at * 7) % 1000);
      text += `{"metric":"small","labels":${labels},"ts":${ts},"value":${value}}\n`;
      if (text.length < bodySizeBytes) continue;
      yield Buffer.from(text, 'latin1');
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text, 'latin1');
}

async function metric(server: Server, name: string): Promise<number> {
  const { body } = await ask(server.port, '/metrics');
  const value = new RegExp(`^seriesdb_${name} (\\S+)$`, 'm').exec(body)?.[1];
  if (value === undefined) throw new Error(`there is no metric seriesdb_${name}`);
  return Number(value);
}
