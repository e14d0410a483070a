// One process at a time sets a clone up: two would install and compile into the same files. Who
// holds the lock stands in it, so that one whose holder was killed is told from one that is held.
// Only Node's own modules, because setup runs before anything is installed.
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

// Longer than any setup takes: whether a process of another machine lives, nobody here can ask.
const foreignMs = 30 * 60_000;

// Of a file system that cannot be written, where nothing is set up, or that has no links.
const hopeless = ['EROFS', 'EACCES', 'EPERM', 'ENOTSUP'];

/** When a process started, where the kernel says it: its number may be another's later. */
function startOf(pid) {
  try {
    // The name of the program, in brackets, may have blanks.
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

/** Whether the holder still is. A file that is no lock is of nobody. */
function isHeld(file, text) {
  const [host, pid, start] = text.split(' ');
  if (!/^\d+$/.test(pid ?? '')) return false;
  if (host !== os.hostname()) {
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
    return Date.now() - mtimeMs < foreignMs;
  }
  return isRunning(pid) && (startOf(pid) ?? 'unknown') === start;
}

/** Removes the lock with this text. Another one, that somebody took meanwhile, goes back. */
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

/** False where another process has it. Whole from its first moment, since it is a link. */
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

/** Runs `body` while no other process sets this clone up. */
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
