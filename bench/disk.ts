/** Bytes per sample in segment files, once everything is flushed. */
import path from 'node:path';

import {
  folderBytes,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../test/support/server.js';

import { Connection } from './connection.js';
import { buildLoad } from './generator.js';
import type { Measurement } from './report.js';

export async function measureDisk(isQuick: boolean): Promise<Measurement[]> {
  return [
    {
      name: 'disk, integer walk',
      value: await bytesPerSample(0, isQuick),
      unit: 'B/sample',
      target: { most: 0.45 },
      note: 'segments after SIGTERM, ten metrics of ten hosts',
    },
    {
      name: 'disk, 2-decimal walk',
      value: await bytesPerSample(2, isQuick),
      unit: 'B/sample',
      target: { most: 1.3 },
      note: 'the same, in hundredths',
    },
  ];
}

async function bytesPerSample(decimals: 0 | 2, isQuick: boolean): Promise<number> {
  const steps = isQuick ? 8_640 : 34_560;
  const load = buildLoad({ hosts: 10, steps, fieldsPerLine: 10, decimals });
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(load.bodies);
    connection.close();
    const { code } = await server.stop();
    if (code !== 0) throw new Error(`the server ended with ${String(code)}`);
    return folderBytes(path.join(dataDir, 'segments')) / load.samples;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}
