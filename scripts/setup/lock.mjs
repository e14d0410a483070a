// A lock, so that only one process sets up a clone: two would install and compile into the same
// files. The lock names its holder, so that the lock of a killed process is recognized. Uses only
// Node's own modules, because setup runs before anything is installed.
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { inRoot } from '../project.mjs';

const lookMs = 200;

// Longer than any setup takes. A lock of another machine expires after this time, since its process
// cannot be checked from here.
const foreignMs = 30 * 60_000;

// Errors of file systems that are read-only, where no setup happens, or that lack hard links.
const hopeless = ['EROFS', 'EACCES', 'EPERM', 'ENOTSUP'];

/** The start time of a process, if the kernel reports it. The process id alone may be reused. */
function startOf(pid) {
  try {
    // The program's name, in parentheses, may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
  } catch {
    return null;
  }
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** True if the holder still runs. A file that is not a valid lock has no holder. */
function isHeld(file, text) {
  const [host, pid, start] = text.split(' ');
  if (!/^\d+$/.test(pid ?? '')) return false;
  if (host !== os.hostname()) {
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
    return Date.now() - mtimeMs < foreignMs;
  }
  return isRunning(pid) && (startOf(pid) ?? 'unknown') === start;
}

/**
 * Removes the lock with this text. If another process has replaced the lock meanwhile, puts that
 * lock back.
 */
function removeStale(file, text) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (textOf(aside) !== text) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(aside, { force: true });
}

/** False if another process holds the lock. A link creates the file with its complete content. */
function take(file, mine) {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, mine);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

async function wait(file, mine) {
  for (let isTold = false; !take(file, mine);) {
    const text = textOf(file);
    if (text === null) continue;
    if (!isHeld(file, text)) {
      removeStale(file, text);
      continue;
    }
    if (!isTold) {
      const [, pid] = text.split(' ');
      console.log(`Process ${pid} sets this clone up (${file}); waiting for it …`);
      isTold = true;
    }
    await delay(lookMs);
  }
}

/** Runs `body` while no other process sets up this clone. */
export async function alone(body, file = inRoot('build/setup.lock')) {
  const mine = [os.hostname(), process.pid, startOf(process.pid) ?? 'unknown'].join(' ');
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    await wait(file, mine);
  } catch (error) {
    if (!hopeless.includes(error.code)) throw error;
    return body();
  }
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}
