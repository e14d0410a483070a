// Runs the two test programs and counts the results, for `npm test` and `npm run check:sanitize`.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ScriptError, filesBelow, readText, root, run } from './project.mjs';

// Longer than any part of the suite takes on any machine. A part that takes longer hangs.
const limitMs = 30 * 60_000;

// The C++ tests keep some 150 MB of files until they end.
const scratchBytes = 2 ** 30;

/**
 * A folder in memory for the tests' files, if one has room and TMPDIR is not set. On a disk, the
 * C++ tests would mostly wait for syncs of thousands of small files. They simulate disk faults by
 * themselves.
 */
function scratchInMemory() {
  const folder = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined) return {};
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= scratchBytes ? { TMPDIR: folder } : {};
  } catch {
    return {};
  }
}

/** Runs the C++ tests. `args` go to the program: a filter, `--seed N`. */
export function runCoreTests(program, args, env = {}) {
  const done = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    timeout: limitMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...scratchInMemory(), ...env },
  });
  process.stdout.write(done.stdout ?? '');
  const counts = /^(\d+) passed, (\d+) failed$/m.exec(done.stdout ?? '');
  const passed = Number(counts?.[1] ?? 0);
  let failed = Number(counts?.[2] ?? 0);
  const foundNothing = counts !== null && passed + failed === 0;
  const isQuietFilter = foundNothing && args.length > 0;
  if (done.status !== 0 && failed === 0 && !isQuietFilter) {
    console.log(`The C++ tests ended with ${done.signal ?? `exit code ${done.status}`}.`);
    failed = 1;
  }
  return { passed, failed, skipped: 0 };
}

/** The sum of the counts. */
export const sumOf = (all) => ({
  passed: all.reduce((sum, one) => sum + one.passed, 0),
  failed: all.reduce((sum, one) => sum + one.failed, 0),
});

// These take longest. They come first, so that none of them runs alone at the end; and what mostly
// waits alternates with what computes.
const longest = [
  ...['e2e/security', 'browser/ask', 'e2e/wire-contract', 'browser/frame', 'e2e/tables'],
  ...['browser/ask-promql', 'e2e/half-open', 'browser/look', 'http/half-close', 'browser/notes'],
  ...['soak/soak', 'e2e/made-texts-seriesql', 'e2e/cli-connections', 'e2e/cli-forms'],
  ...['e2e/owner-socket', 'browser/health', 'e2e/cli-queries', 'e2e/made-texts', 'browser/boards'],
  ...['crash/kill-loop', 'browser/compare', 'e2e/cli-load', 'seriesql/compiled/differential'],
  ...['cli/parquet-damage', 'browser/load', 'seriesql/compiled/expressions', 'browser/server'],
].map((name) => `dist/test/${name}.test.js`);

function placeOf(file) {
  const at = longest.indexOf(file);
  return at < 0 ? longest.length : at;
}

/** All compiled tests in the order in which they start. */
function testFiles() {
  const files = filesBelow('dist/test', ['.test.js']);
  const gone = longest.find((name) => !files.includes(name));
  if (gone !== undefined)
    throw new ScriptError(`scripts/run-tests.mjs names ${gone}, which is gone`);
  return files.sort((one, other) => placeOf(one) - placeOf(other));
}

// A filter selects test files by path. If no path contains it, it selects tests by name.
function selection(filter) {
  const all = testFiles();
  const matching = all.filter((file) => filter === undefined || file.includes(filter));
  const files = matching.length === 0 ? all : matching;
  // Mocha would add these files to those of its configuration, so the configuration is not used.
  const { reporter, timeout, slow, jobs } = JSON.parse(readText('.mocharc.json'));
  const options = ['--reporter', reporter, '--timeout', String(timeout), '--slow', String(slow)];
  if (files.length > 1) options.push('--parallel', '--jobs', String(jobs));
  if (matching.length === 0) options.push('--grep', filter);
  return ['--no-config', '--exit', '--enable-source-maps', ...options, ...files];
}

/** Runs mocha over the compiled tests, by another Node.js if `node` is given. */
export function runMocha(filter, env = {}, node = process.execPath) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-mocha-'));
  const countsFile = path.join(folder, 'counts.json');
  const counting = ['--reporter-option', `countsFile=${countsFile}`];
  const mocha = 'node_modules/mocha/bin/mocha.js';
  const code = run(node, [mocha, ...counting, ...selection(filter)], env);
  const counts = existsSync(countsFile)
    ? JSON.parse(readFileSync(countsFile, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0 };
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0 && counts.failed === 0) {
    console.log(`Mocha ended with exit code ${code}.`);
    counts.failed = 1;
  }
  return counts;
}
