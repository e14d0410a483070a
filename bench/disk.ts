/** Bytes per sample in segment files: once everything is flushed, and once all is merged. */
import path from 'node:path';

import { ask } from '../test/support/admin-server.js';
import {
  folderBytes,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type ServerOptions,
} from '../test/support/server.js';

import { Connection } from './connection.js';
import { buildLoad } from './generator.js';
import type { Measurement } from './report.js';

export async function measureDisk(isQuick: boolean): Promise<Measurement[]> {
  const walk = await bytesPerSample(0, isQuick);
  const hundredths = await bytesPerSample(2, isQuick);
  const unit = 'B/sample';
  return [
    {
      name: 'disk, integer walk',
      value: walk.flushed,
      unit,
      target: { most: 0.45 },
      note: 'segments after SIGTERM, ten metrics of ten hosts',
    },
    {
      name: 'disk, 2-decimal walk',
      value: hundredths.flushed,
      unit,
      target: { most: 1.3 },
      note: 'the same, in hundredths',
    },
    {
      name: 'disk, integer walk, compacted',
      value: walk.compacted,
      unit,
      target: { most: 0.31 },
      note: 'after POST /__admin/compact',
    },
    {
      name: 'disk, 2-decimal walk, compacted',
      value: hundredths.compacted,
      unit,
      target: { most: 1.15 },
      note: 'the same, in hundredths',
    },
  ];
}

interface BytesPerSample {
  readonly flushed: number;
  readonly compacted: number;
}

async function bytesPerSample(decimals: 0 | 2, isQuick: boolean): Promise<BytesPerSample> {
  const steps = isQuick ? 8_640 : 34_560;
  const load = buildLoad({ hosts: 10, steps, fieldsPerLine: 10, decimals });
  const dataDir = temporaryDirectory();
  const options: ServerOptions = {
    dataDir,
    args: ['--admin-listen', '127.0.0.1:0'],
    env: { SERIESDB_ADMIN_ENABLED: 'true' },
  };
  const measured = (): number => folderBytes(path.join(dataDir, 'segments')) / load.samples;
  let server = await startServer(options);
  const stop = async (): Promise<number> => {
    const { code } = await server.stop();
    if (code !== 0) throw new Error(`the server ended with ${String(code)}`);
    return measured();
  };
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(load.bodies);
    connection.close();
    const flushed = await stop();
    server = await startServer(options);
    const { status, body } = await ask(server.adminPort, '/__admin/compact', { method: 'POST' });
    if (status !== 200) throw new Error(body);
    return { flushed, compacted: await stop() };
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}
