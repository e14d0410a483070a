/** Third-party programs: detection, start and CPU time. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import type { Running } from './peer.js';

/** The first line of the reported version; null if the program is not installed. */
export function versionOf(program: string, flag: string): string | null {
  const { status, stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' });
  if (status !== 0) return null;
  const [first = ''] = `${stdout}${stderr}`.trim().split('\n');
  return first === '' ? 'installed, of no told version' : first;
}

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;

interface Program {
  readonly program: string;
  /** A path that answers 200 once the server is ready. */
  readonly probe: string;
  readonly args: (port: number) => readonly string[];
}

/** Child processes; none outlives this process. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export async function startProgram({ program, probe, args }: Program): Promise<Running> {
  const port = await freePort();
  const child = spawn(program, args(port), { stdio: 'ignore' });
  children.add(child);
  for (let left = 600; left > 0; left -= 1) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${probe}`).catch(() => null);
    if (answer?.ok === true) break;
    if (left === 1 || child.exitCode !== null) throw new Error(`${program} does not start`);
    await pause(100);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    children.delete(child);
  };
  return { port, cpuSeconds: () => cpuSecondsOf(child.pid ?? 0), stop };
}

/** Sends a text. Throws unless it is accepted. */
export async function post(port: number, path: string, text = ''): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    ...{ method: 'POST', body: text },
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${said.slice(0, 300)}`);
  return said;
}

// The kernel's unit of CPU time in /proc; the same on every Linux that Node supports.
const kTicksPerSecond = 100;

/** Includes ended threads, since some servers have one thread per request. */
function cpuSecondsOf(pid: number): number {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // The name before the fields may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / kTicksPerSecond;
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
