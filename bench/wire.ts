/** Measures the CPU time of HTTP alone, in each transport of the server. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { Connection, getRequest } from './connection.js';
import { median, type Measurement } from './report.js';

const program = fileURLToPath(new URL('./wire-server.js', import.meta.url));
/** `streams` is `node` without `sendNow`, as with TLS. */
const kinds = ['node', 'streams', 'uws'] as const;
const sizes = [200, 3_000, 12_000, 130_000];
/** Rounds for each size and kind, in turns. */
const rounds = 7;

interface Side {
  readonly child: ChildProcess;
  readonly connection: Connection;
}

export async function measureWire(isQuick: boolean): Promise<Measurement[]> {
  const sides = await Promise.all(kinds.map(open));
  try {
    const measurements: Measurement[] = [];
    for (const size of sizes) {
      const took = kinds.map((): number[] => []);
      for (let round = 0; round < rounds; round++) {
        for (const [at, side] of sides.entries()) {
          took[at]?.push(await cpuOf(side, size, isQuick ? 2_000 : 10_000));
        }
      }
      measurements.push(...kinds.map((kind, at) => rowOf(kind, size, took[at] ?? [])));
    }
    return measurements;
  } finally {
    for (const { child } of sides) child.kill();
  }
}

function rowOf(kind: string, size: number, took: readonly number[]): Measurement {
  const name = `HTTP alone, ${String(size)} bytes, ${kind}`;
  return { name, value: median(took), unit: 'µs of CPU a request' };
}

async function open(kind: string): Promise<Side> {
  const child = fork(program, [kind]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, connection: await Connection.open(port) };
}

async function cpuOf({ child, connection }: Side, size: number, count: number): Promise<number> {
  const request = getRequest(`/${String(size)}`);
  const before = await spent(child);
  for (let asked = 0; asked < count; asked++) await connection.exchange(request);
  return ((await spent(child)) - before) / count;
}

/** The CPU time of the process, in microseconds. */
async function spent(child: ChildProcess): Promise<number> {
  child.send('spent');
  const [cpu] = (await once(child, 'message')) as [number];
  return cpu;
}
