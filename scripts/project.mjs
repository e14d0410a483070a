// Common functions of all scripts: project paths, file lists, child processes. Uses only Node's own
// modules, because setup runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A path inside the project. */
export const inRoot = (...parts) => path.join(root, ...parts);

/** A failure with one sentence for the user. Any other error is a bug and shows its stack. */
export class ScriptError extends Error {}

/** All files below `folder` whose name ends in one of `endings`: sorted project paths. */
export function filesBelow(folder, endings) {
  if (!existsSync(inRoot(folder))) return [];
  const found = [];
  for (const entry of readdirSync(inRoot(folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...filesBelow(name, endings));
    else if (endings.some((ending) => entry.name.endsWith(ending))) found.push(name);
  }
  return found.sort();
}

/** All files of a folder anywhere, sorted, by their paths in it. */
export function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .sort();
}

/** The newest version of glibc that machine code in a file asks for; null if it asks for none. */
export function glibcOf(file) {
  const asked = readFileSync(file, 'latin1').matchAll(/GLIBC_2\.(\d+)/g);
  const minors = [...asked].map(([, minor]) => Number(minor));
  return minors.length === 0 ? null : `2.${Math.max(...minors)}`;
}

/** A port of loopback that nobody listens on. */
export function freePort() {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The source file of an import of `x.js`. */
export function sourceOf(file) {
  const stem = file.replace(/\.js$/, '');
  return existsSync(inRoot(`${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
}

export const readText = (file) => readFileSync(inRoot(file), 'utf8');

/** One hash over names and contents. It detects renamed, changed and removed files. */
export function hashFiles(files, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    hash.update(`\0${file}\0`);
    if (existsSync(inRoot(file))) hash.update(readFileSync(inRoot(file)));
  }
  return hash.digest('hex');
}

/**
 * Runs a program in the project and shows its output. Returns the exit code, or 127 if the program
 * is missing.
 */
export function run(command, args, env = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (done.error !== undefined) return 127;
  return done.status ?? 1;
}

/** Like run(), but asynchronous. */
export function runAside(command, args, env = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (status) => resolve(status ?? 1));
  });
}

/** Runs a script of Node.js beside others. Resolves with its exit code and all that it printed. */
export async function runCollected(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => output.push(bytes));
  }
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (status) => resolve(status ?? 1));
  });
  return { code, text: Buffer.concat(output).toString() };
}

/** Runs a program quietly. Returns its output, or null if it failed or is missing. */
export function outputOf(command, args) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : null;
}

/** The time of a package's files in seconds, so that the time of its build does not matter. */
export function epoch() {
  const { SOURCE_DATE_EPOCH } = process.env;
  const seconds = SOURCE_DATE_EPOCH ?? outputOf('git', ['log', '-1', '--format=%ct']);
  if (/^\d+$/.test(seconds ?? '')) return seconds;
  throw new ScriptError('there is no commit to take the time from; set SOURCE_DATE_EPOCH');
}

export const runNode = (args, env) => run(process.execPath, args, env);

/** Runs a script's body. A ScriptError prints its sentence and sets a failure exit code. */
export async function main(body) {
  // The reader of a pipe may have seen enough, as `head` has; the work goes on.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    console.error(`seriesdb: ${error.message}`);
    process.exitCode = 1;
  }
}

/** Prints the problems a checker found. Returns the exit code. */
export function report(title, problems) {
  for (const problem of problems) console.error(`  ${problem}`);
  console.log(problems.length === 0 ? `${title}: ok` : `${title}: ${problems.length} problem(s)`);
  return problems.length === 0 ? 0 : 1;
}
