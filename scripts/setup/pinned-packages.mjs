// Installs packages that are not dependencies of this project from the npm registry, by exact
// version and hash. Each set gets its own folder below build/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ScriptError, inRoot, readText } from '../project.mjs';
import { uwsDependencies } from '../uws-binaries.mjs';
import { alone } from './lock.mjs';

const installLimitMs = 5 * 60_000;

/** The uWebSockets.js packages for every Node.js: name, version, integrity. */
export function lockedBinaries() {
  const locked = JSON.parse(readText('package-lock.json')).packages;
  return uwsDependencies().map(([name, version]) => {
    const { integrity } = locked[`node_modules/${name}`];
    return { name, version, integrity };
  });
}

/** package.json and package-lock.json for a folder with exactly these packages. */
function manifestsOf(packages) {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const locked = packages.map(({ name, version, integrity }) => [
    `node_modules/${name}`,
    { version, integrity },
  ]);
  const head = { name: 'pinned', private: true };
  const everything = { '': { ...head, dependencies }, ...Object.fromEntries(locked) };
  const lock = { name: head.name, lockfileVersion: 3, requires: true, packages: everything };
  return {
    'package.json': JSON.stringify({ ...head, dependencies }, null, 2),
    'package-lock.json': JSON.stringify(lock, null, 2),
  };
}

const isInstalled = (folder, wanted) => {
  const stamp = path.join(folder, 'stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
};

/**
 * Installs a folder by its two manifests, given as texts by name. npm compares the hashes before
 * unpacking, and no package runs a script.
 */
function fill(folder, { lists, told, flags = [] }) {
  console.log(`Installing ${told} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(lists)) writeFileSync(path.join(folder, file), text);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const args = ['ci', '--ignore-scripts', '--prefix', folder, ...quiet, ...flags];
  const done = spawnSync('npm', args, { encoding: 'utf8', timeout: installLimitMs });
  if (done.status !== 0) throw new ScriptError(reasonOf(done, told));
}

/** Installs exactly these packages (name, version, integrity), unless they are installed. */
export function installPinned(folder, packages) {
  const lists = manifestsOf(packages);
  const wanted = lists['package-lock.json'];
  if (isInstalled(folder, wanted)) return;
  const told = packages.map(({ name, version }) => `${name}@${version}`).join(' and ');
  fill(folder, { lists, told });
  writeFileSync(path.join(folder, 'stamp'), wanted);
}

/**
 * Installs the packages listed in test/NAME into build/NAME, unless they are installed. Only one
 * process at a time does so. `finish` runs afterwards; a change of `salt` forces a reinstallation.
 * Returns the folder.
 */
export async function installForTests(name, { told, flags, salt = '', finish = () => undefined }) {
  const folder = inRoot('build', name);
  const read = (list) => [list, readText(`test/${name}/${list}`)];
  const lists = Object.fromEntries(['package.json', 'package-lock.json'].map(read));
  const wanted = lists['package-lock.json'] + salt;
  const once = async () => {
    if (isInstalled(folder, wanted)) return;
    fill(folder, { lists, told, flags });
    await finish(folder);
    writeFileSync(path.join(folder, 'stamp'), wanted);
  };
  if (!isInstalled(folder, wanted)) await alone(once, inRoot('build', `${name}.lock`));
  return folder;
}

function reasonOf({ stderr, error }, names) {
  const output = stderr ?? '';
  if (output.includes('EINTEGRITY')) {
    return `the registry has another file than the pinned one among ${names}, and it was refused`;
  }
  const code = /^npm error code (\S+)/m.exec(output)?.[1] ?? error?.code ?? 'no reason given';
  return `${names} did not come from the npm registry (${code})`;
}
