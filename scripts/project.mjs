// What every script needs: where the project is, how to list its files, how to run a program.
// Only Node's own modules, because setup runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A path inside the project. */
export const inRoot = (...parts) => path.join(root, ...parts);

/** A failure with one sentence for the user; anything else is a bug and shows its stack. */
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

/** The source that an import of `x.js` means. */
export function sourceOf(file) {
  const stem = file.replace(/\.js$/, '');
  return existsSync(inRoot(`${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
}

export const readText = (file) => readFileSync(inRoot(file), 'utf8');

/** One hash over names and contents, so that a renamed, changed or removed file is seen. */
export function hashFiles(files, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    hash.update(`\0${file}\0`);
    if (existsSync(inRoot(file))) hash.update(readFileSync(inRoot(file)));
  }
  return hash.digest('hex');
}

/** Runs a program in the project, its output shown. Returns the exit code, 127 when not there. */
export function run(command, args, env = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (done.error !== undefined) return 127;
  return done.status ?? 1;
}

/** As `run`, while other things go on. */
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

/** Runs a program quietly; its output, or null when it failed or is not there. */
export function outputOf(command, args) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : null;
}

export const runNode = (args, env) => run(process.execPath, args, env);

/** The entry of a script: prints a ScriptError as its sentence and ends with a failure. */
export async function main(body) {
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
