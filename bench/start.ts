/** Measures the time from the start of a process to its first answer. */
import { Random } from '../test/support/random.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { startWithAdmin } from './admin.js';
import { Connection, getRequest } from './connection.js';
import { hourMs, loadBodies, stepMs } from './generator.js';
import { seed } from './query/draw.js';
import { fillWith } from './query/query.js';
import { statements } from './query/statements.js';
import { reach } from './reach.js';
import { median, type Measurement } from './report.js';

const starts = 9;
const stock = { hosts: 100, hours: 13 };

export async function measureStart(): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  try {
    // The first start creates the directory.
    await restart(dataDir, 1);
    const empty = await restart(dataDir, starts);
    const server = await startServer({ dataDir });
    const shape = { hosts: stock.hosts, steps: stock.hours * (hourMs / stepMs) };
    await fillWith(server, loadBodies({ ...shape, fieldsPerLine: 10, values: 'integer walk' }));
    await server.stop();
    const filled = await restart(dataDir, starts);
    return [rowOf('an empty directory', empty), rowOf('100 hosts of 13 h', filled)];
  } finally {
    removeDirectory(dataDir);
  }
}

function rowOf(of: string, times: readonly number[]): Measurement {
  return {
    ...{ name: `start to the first answer, ${of}, p50`, value: median(times), unit: 'ms' },
    target: { most: reach.startMs },
    note: `a query; the slowest of ${String(times.length)} ${Math.max(...times).toFixed(0)} ms`,
  };
}

async function restart(dataDir: string, count: number): Promise<number[]> {
  const random = new Random(seed);
  const [question] = statements(stock);
  const times: number[] = [];
  while (times.length < count) {
    const request = question?.make(random) ?? getRequest('/healthz');
    const { server, ms } = await timedStart(dataDir, request);
    times.push(ms);
    await server.stop();
  }
  return times;
}

/**
 * Starts a server and measures the time until this request is answered. The answer may say that
 * there is no such series.
 */
export async function timedStart(
  dataDir: string,
  request: Buffer,
): Promise<{ readonly server: Server; readonly ms: number }> {
  const started = performance.now();
  const server = await startWithAdmin(dataDir);
  const connection = await Connection.open(server.port);
  const { status } = await connection.exchange(request);
  const ms = performance.now() - started;
  connection.close();
  if (status >= 500) throw new Error(`the first answer was ${String(status)}`);
  return { server, ms };
}
