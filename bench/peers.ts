/**
 * `npm run bench:peers`: the same requests to seriesdb and to the databases that are installed, one
 * at a time, by the CPU time of each.
 *
 * A server is sent what makes the series first, which does not count. Then it is sent all requests
 * on one connection; what it does in the two seconds behind them counts. Whether a peer has synced
 * by then is its own choice: seriesdb has, before each answer.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { removeDirectory, startServer, temporaryDirectory } from '../test/support/server.js';

import { Connection, forms, writeRequestOf } from './connection.js';
import { buildLoad } from './generator.js';
import { otlpLoad } from './ingest/otlp.js';
import { remoteWriteLoad } from './ingest/remote-write.js';
import { machine } from './report.js';

import type { WrittenLoad } from './ingest/load.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kBehindMs = 2_000;

type Form = keyof typeof forms;

interface Running {
  readonly port: number;
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
}

interface Peer {
  readonly name: string;
  /** What it says of its version; null where it is not installed. */
  readonly version: () => string | null;
  readonly start: (folder: string) => Promise<Running>;
  /** Where it takes what; a form that is missing it does not take. */
  readonly paths: Readonly<Partial<Record<Form, string>>>;
}

const peers: readonly Peer[] = [
  {
    name: 'seriesdb',
    version: () => 'this build',
    start: async (folder) => {
      const server = await startServer({ dataDir: folder });
      const stop = async (): Promise<void> => {
        await server.kill();
      };
      return { port: server.port, cpuSeconds: () => server.cpuSeconds(), stop };
    },
    paths: Object.fromEntries(Object.entries(forms).map(([form, { path: at }]) => [form, at])),
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
  },
  {
    name: 'Prometheus',
    version: () => versionOf('prometheus', '--version'),
    start: (folder) => {
      const config = path.join(folder, 'prometheus.yml');
      writeFileSync(config, '{}');
      return startProgram('prometheus', '/-/ready', (port) => [
        ...[`--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`],
        ...[`--web.listen-address=127.0.0.1:${String(port)}`, '--web.enable-remote-write-receiver'],
      ]);
    },
    paths: { remoteWrite: '/api/v1/write' },
  },
];

interface Work {
  readonly name: string;
  readonly form: Form;
  readonly load: () => WrittenLoad;
}

const works: readonly Work[] = [
  ...([1, 10] as const).map((fieldsPerLine) => ({
    name: fieldsPerLine === 1 ? 'line protocol, one field' : 'line protocol, ten fields',
    form: 'line' as const,
    load: () => lineLoad(fieldsPerLine),
  })),
  { name: 'remote_write, ten labels', form: 'remoteWrite', load: () => remoteWriteLoad(120) },
  { name: 'OTLP, eight attributes', form: 'otlp', load: () => otlpLoad(120) },
];

function lineLoad(fieldsPerLine: 1 | 10): WrittenLoad {
  const steps = fieldsPerLine === 1 ? 1_000 : 4_000;
  const shape = {
    format: 'line protocol',
    hosts: 100,
    fieldsPerLine,
    values: 'integer walk',
  } as const;
  const warmUp = buildLoad({ ...shape, steps: 1 });
  const { bodies, samples } = buildLoad({ ...shape, steps });
  return { warmUp: warmUp.bodies, bodies, samples };
}

interface Row {
  readonly work: string;
  readonly peer: string;
  readonly samplesPerCpuSecond: number;
}

const rows: Row[] = [];
const versions: Record<string, string> = {};
for (const work of works) {
  const load = work.load();
  for (const peer of peers) {
    const version = peer.version();
    if (version === null || peer.paths[work.form] === undefined) continue;
    versions[peer.name] = version;
    rows.push({
      work: work.name,
      peer: peer.name,
      samplesPerCpuSecond: await measure(peer, work, load),
    });
  }
}
print();
save();

async function measure(peer: Peer, { form }: Work, load: WrittenLoad): Promise<number> {
  const folder = temporaryDirectory();
  const server = await peer.start(folder);
  try {
    const connection = await Connection.open(server.port);
    await sendAll(
      connection,
      load.warmUp.map((body) => writeRequestOf(form, body, peer.paths[form])),
    );
    const requests = load.bodies.map((body) => writeRequestOf(form, body, peer.paths[form]));
    const before = server.cpuSeconds();
    await sendAll(connection, requests);
    connection.close();
    await pause(kBehindMs);
    return load.samples / (server.cpuSeconds() - before);
  } finally {
    await server.stop();
    removeDirectory(folder);
  }
}

async function sendAll(connection: Connection, requests: readonly Buffer[]): Promise<void> {
  for (const request of requests) {
    const { status, text } = await connection.exchange(request, { keepText: true });
    if (status !== 200 && status !== 204) throw new Error(`the answer was ${text.slice(0, 300)}`);
  }
}

function print(): void {
  for (const [name, version] of Object.entries(versions)) console.log(`  ${name}: ${version}`);
  console.log('\n  samples per CPU second, and how many times as many seriesdb takes');
  for (const { name } of works) {
    const own = rows.find(({ work, peer }) => work === name && peer === 'seriesdb');
    for (const { peer, samplesPerCpuSecond } of rows.filter(({ work }) => work === name)) {
      const ratio = (own?.samplesPerCpuSecond ?? NaN) / samplesPerCpuSecond;
      const figure = `${(samplesPerCpuSecond / 1e6).toFixed(2)} M`.padStart(9);
      console.log(`  ${name.padEnd(28)} ${peer.padEnd(16)} ${figure}  ${ratio.toFixed(1)}`);
    }
  }
}

function save(): void {
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const takenAt = new Date().toISOString();
  const file = path.join(folder, `peers-${takenAt.replace(/[:.]/g, '-')}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ takenAt, machine: machine(), versions, rows }, null, 2)}\n`,
  );
  console.log(`\nWritten to ${file}`);
}

function versionOf(program: string, flag: string): string | null {
  const { status, stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  if (status !== 0) return null;
  const [first = ''] = `${stdout}${stderr}`.trim().split('\n');
  return first === '' ? 'installed, of no told version' : first;
}

async function startProgram(
  program: string,
  probe: string,
  argsOf: (port: number) => readonly string[],
): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, argsOf(port), { stdio: 'ignore' });
  process.on('exit', () => child.kill('SIGKILL'));
  for (let left = 200; left > 0; left -= 1) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${probe}`).catch(() => null);
    if (answer?.ok === true) break;
    if (left === 1) throw new Error(`${program} does not start`);
    await pause(100);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
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
