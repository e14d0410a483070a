/**
 * Measures many series of few samples each: their memory before and after flushes, and their disk
 * space.
 */
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

const flushes = 10;

/** A million series of ten samples, with a flush after each sample; `--quick`: 50,000 series. */
export async function measureSmall(isQuick: boolean): Promise<Measurement[]> {
  const series = isQuick ? 50_000 : 1_000_000;
  const dataDir = temporaryDirectory();
  const server = await startWithAdmin(dataDir);
  try {
    let memtable = 0;
    let segments = 0;
    for (let round = 0; round < flushes; round++) {
      await ingest(server, series, round);
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

/** One sample of each series, at the given minute. */
async function ingest(server: Server, series: number, minute: number): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies(series, minute));
  connection.close();
}

function* bodies(series: number, minute: number): Generator<Buffer> {
  const ts = String(firstTs + minute * minuteMs);
  let text = '';
  for (let one = 0; one < series; one++) {
    const labels = JSON.stringify(labelsOf(one));
    const value = String((one * 31 + minute * 7) % 1000);
    text += `{"metric":"small","labels":${labels},"ts":${ts},"value":${value}}\n`;
    if (text.length < bodySizeBytes) continue;
    yield Buffer.from(text, 'latin1');
    text = '';
  }
  if (text !== '') yield Buffer.from(text, 'latin1');
}

async function metric(server: Server, name: string): Promise<number> {
  const { body } = await ask(server.port, '/metrics');
  const value = new RegExp(`^seriesdb_${name} (\\S+)$`, 'm').exec(body)?.[1];
  if (value === undefined) throw new Error(`there is no metric seriesdb_${name}`);
  return Number(value);
}
