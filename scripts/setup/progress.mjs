// Runs a long program behind a single progress line. On a terminal the line shows a percentage from
// the output of make or ninja, and from it what is left. If the program fails, its output is shown.
// Uses only Node's own modules.
import { spawn } from 'node:child_process';
import process from 'node:process';

import { root } from '../project.mjs';

/** The percentage in "[12/31] Building …" of ninja or "[ 38%] Building …" of make. */
function percentIn(text) {
  const last = text.match(/^\[ *\d+(?:\/\d+|%)\]/gm)?.at(-1);
  if (last === undefined) return null;
  const [done, all = 100] = last.match(/\d+/g).map(Number);
  return Math.floor((100 * done) / all);
}

/** What is left of the time, once enough is done to tell. */
function leftAfter(percent, beganAt) {
  if (percent < 10 || percent === 100) return '';
  const seconds = ((performance.now() - beganAt) / 1000) * (100 / percent - 1);
  return `, about ${Math.ceil(seconds / 5) * 5} s left`;
}

const isTerminal = () => process.stdout.isTTY === true;

const show = (text) => {
  if (isTerminal()) process.stdout.write(`\r\x1b[K${text}`);
};

/**
 * Runs `command` in the project under `title`. Returns the exit code, or 127 if the program is
 * missing.
 */
export async function runWithProgress(title, [command, ...args], env = {}) {
  process.stdout.write(isTerminal() ? `${title} …` : `${title} …\n`);
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const beganAt = performance.now();
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      printed.push(bytes);
      const percent = percentIn(String(bytes));
      if (percent !== null) show(`${title} … ${percent} %${leftAfter(percent, beganAt)}`);
    });
  }
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (status) => resolve(status ?? 1));
  });
  show(`${title} … ${code === 0 ? 'done' : 'failed'}\n`);
  if (code !== 0) process.stderr.write(Buffer.concat(printed));
  return code;
}
