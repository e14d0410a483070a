/** The databases that are compared: how each is started, and what it takes and answers. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { startServer } from '../../test/support/server.js';

import { forms } from '../connection.js';
import type { Asked } from '../query/ask.js';
import type { Make, Question } from '../query/question.js';

export type Form = keyof typeof forms;

interface Running extends Asked {
  /** Politely, so that what it has is there when it starts again. */
  readonly stop: () => Promise<void>;
}

export interface Peer {
  readonly name: string;
  /** What it says of its version; null where it is not installed. */
  readonly version: () => string | null;
  readonly start: (folder: string) => Promise<Running>;
  /** Where it takes what; a form that is missing it does not take. */
  readonly paths: Readonly<Partial<Record<Form, string>>>;
  /** What asks it a question; undefined where it has no word for it. */
  readonly asks: (question: Question) => Make | undefined;
}

const peers: readonly Peer[] = [
  {
    name: 'seriesdb',
    version: () => 'this build',
    start: async (folder) => {
      // As the program does by itself up to four cores; tests have one thread.
      const args = ['--listeners', String(os.availableParallelism())];
      const server = await startServer({ dataDir: folder, args });
      const stop = async (): Promise<void> => {
        await server.stop();
      };
      return { port: server.port, cpuSeconds: () => server.cpuSeconds(), stop };
    },
    paths: Object.fromEntries(Object.entries(forms).map(([form, { path: at }]) => [form, at])),
    asks: ({ make }) => make,
  },
  {
    name: 'VictoriaMetrics',
    version: () => versionOf('victoria-metrics', '-version'),
    start: (folder) =>
      startProgram('victoria-metrics', '/health', (port) => [
        ...[`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${String(port)}`],
        '-retentionPeriod=100y',
      ]),
    paths: {
      ...{ line: '/api/v2/write', remoteWrite: '/api/v1/write' },
      otlp: '/opentelemetry/v1/metrics',
    },
    asks: ({ exported, promql }) => exported ?? promql,
  },
  {
    name: 'Prometheus',
    version: () => versionOf('prometheus', '--version'),
    start: (folder) => {
      const config = path.join(folder, 'prometheus.yml');
      writeFileSync(config, '{}');
      return startProgram('prometheus', '/-/ready', (port) => [
        ...[`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`],
        '--storage.tsdb.retention.time=100y',
        ...[`--web.listen-address=127.0.0.1:${String(port)}`, '--web.enable-remote-write-receiver'],
      ]);
    },
    paths: { remoteWrite: '/api/v1/write' },
    asks: ({ promql }) => promql,
  },
];

/** What those that are installed say of their version. */
export const versions: Readonly<Record<string, string>> = Object.fromEntries(
  peers.flatMap(({ name, version }) => {
    const said = version();
    return said === null ? [] : [[name, said]];
  }),
);

/** Those that are installed here. */
export function installed(): readonly Peer[] {
  return peers.filter(({ name }) => versions[name] !== undefined);
}

function versionOf(program: string, flag: string): string | null {
  const { status, stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  if (status !== 0) return null;
  const [first = ''] = `${stdout}${stderr}`.trim().split('\n');
  return first === '' ? 'installed, of no told version' : first;
}

/** None of them outlives this process. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function startProgram(
  program: string,
  probe: string,
  argsOf: (port: number) => readonly string[],
): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, argsOf(port), { stdio: 'ignore' });
  children.add(child);
  for (let left = 200; left > 0; left -= 1) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${probe}`).catch(() => null);
    if (answer?.ok === true) break;
    if (left === 1) throw new Error(`${program} does not start`);
    await pause(100);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    children.delete(child);
  };
  return { port, cpuSeconds: () => cpuSecondsOf(child.pid ?? 0), stop };
}

/** Time that the threads of a process had a processor. */
function cpuSecondsOf(pid: number): number {
  const folder = `/proc/${String(pid)}/task`;
  return readdirSync(folder)
    .map((thread) => readFileSync(path.join(folder, thread, 'schedstat'), 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e9, 0);
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
