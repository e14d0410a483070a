// Starts servers of ours and of others for a check. They end with the check.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ScriptError, inRoot } from '../project.mjs';

const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export function start(program, args) {
  const child = spawn(program, args, { stdio: 'ignore' });
  children.add(child);
  return child;
}

export async function end(child, signal) {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await new Promise((resolve) => child.on('exit', resolve));
}

export async function endAll() {
  for (const child of children) await end(child, 'SIGKILL');
}

/** Starts one of our servers. */
export async function startServer(folder, port) {
  const flags = ['--data-dir', path.join(folder, 'db'), '--listen', `127.0.0.1:${port}`];
  const child = start(process.execPath, [inRoot('dist/bin/seriesdb.js'), 'serve', ...flags]);
  await untilReady(port, '/readyz');
  return child;
}

export async function untilReady(port, probe) {
  for (let left = 100; left > 0; --left) {
    await pause(100);
    const answer = await fetch(`http://127.0.0.1:${port}${probe}`).catch(() => null);
    if (answer?.ok) return;
  }
  throw new ScriptError('the server does not start');
}
