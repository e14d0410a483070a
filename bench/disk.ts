/**
 * Measures bytes per sample in data files: after a flush, and after full compaction. History is
 * excluded; it keeps merged files for an hour and is a separate figure.
 */
import path from 'node:path';

import { folderBytes, removeDirectory, temporaryDirectory } from '../test/support/server.js';

import { order, startWithAdmin } from './admin.js';
import { Connection } from './connection.js';
import { buildLoad, fleetBodies, hourMs, metrics, stepMs, type ValueKind } from './generator.js';
import type { Measurement } from './report.js';

interface Row {
  readonly kind: ValueKind;
  /** The target after the flush, if there is one. */
  readonly flushed?: number;
  readonly compacted: number;
}

const rows: readonly Row[] = [
  { kind: 'integer walk', flushed: 0.45, compacted: 0.31 },
  { kind: '2-decimal walk', flushed: 1.3, compacted: 1.15 },
  { kind: 'counter', compacted: 1.4 },
  { kind: 'integer gauge', compacted: 0.85 },
  { kind: 'doubles', compacted: 6.85 },
];
const unit = 'B/sample';
const fleetHosts = 4000;

export async function measureDisk(isQuick: boolean): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const { kind, flushed, compacted } of rows) {
    const found = await bytesPerSample(monthOf(kind, isQuick));
    measured.push(
      {
        name: `disk, ${kind}`,
        value: found.flushed,
        unit,
        ...(flushed === undefined ? {} : { target: { most: flushed } }),
        note: 'segments after SIGTERM, ten series',
      },
      {
        name: `disk, ${kind}, compacted`,
        value: found.compacted,
        unit,
        target: { most: compacted },
        note: 'after POST /__admin/compact',
      },
    );
  }
  const fleet = await bytesPerSample(fleetOf(isQuick));
  const note = `${String((isQuick ? fleetHosts / 10 : fleetHosts) * metrics.length)} series, 6 h`;
  measured.push(
    { name: 'disk, fleet', value: fleet.flushed, unit, target: { most: 0.55 }, note },
    { name: 'disk, fleet, compacted', value: fleet.compacted, unit, target: { most: 0.45 }, note },
    { name: 'disk, fleet, compacted, with its history', value: fleet.withHistory, unit, note },
  );
  return measured;
}

interface Samples {
  readonly bodies: Iterable<Buffer>;
  readonly count: number;
}

/** Ten series of a month; `--quick`: of a week. */
function monthOf(values: ValueKind, isQuick: boolean): Samples {
  const steps = ((isQuick ? 7 : 30) * 24 * hourMs) / stepMs;
  const { bodies, samples } = buildLoad({ hosts: 1, steps, fieldsPerLine: 10, values });
  return { bodies, count: samples };
}

/** Many series of six hours; `--quick`: a tenth of them. */
function fleetOf(isQuick: boolean): Samples {
  const hosts = isQuick ? fleetHosts / 10 : fleetHosts;
  const steps = (6 * hourMs) / stepMs;
  return { bodies: fleetBodies(hosts, steps), count: hosts * metrics.length * steps };
}

interface BytesPerSample {
  readonly flushed: number;
  readonly compacted: number;
  readonly withHistory: number;
}

async function bytesPerSample({ bodies, count }: Samples): Promise<BytesPerSample> {
  const dataDir = temporaryDirectory();
  let server = await startWithAdmin(dataDir);
  const bytes = (): number => folderBytes(path.join(dataDir, 'objects')) / count;
  const stop = async (): Promise<number> => {
    await order(server, 'gc?history=true');
    const { code } = await server.stop();
    if (code !== 0) throw new Error(`the server ended with ${String(code)}`);
    return bytes();
  };
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(bodies);
    connection.close();
    const flushed = await stop();
    server = await startWithAdmin(dataDir);
    await order(server, 'compact');
    const withHistory = bytes();
    return { flushed, withHistory, compacted: await stop() };
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}
