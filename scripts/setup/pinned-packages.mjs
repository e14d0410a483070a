// Packages that are no dependency of ours here, fetched from the npm registry by exact version and
// hash into a folder of their own below build/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ScriptError, readText } from '../project.mjs';
import { uwsDependencies } from '../uws-binaries.mjs';

const installLimitMs = 5 * 60_000;

/** The packages of uWebSockets.js for every Node.js: name, version, integrity. */
export function lockedBinaries() {
  const locked = JSON.parse(readText('package-lock.json')).packages;
  return uwsDependencies().map(([name, version]) => {
    const { integrity } = locked[`node_modules/${name}`];
    return { name, version, integrity };
  });
}

/** What package.json and package-lock.json say of a folder that holds exactly these packages. */
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

/**
 * Installs exactly these packages, name, version and integrity, where they are not there. npm
 * compares the hashes before it unpacks anything, and no package runs a script.
 */
export function installPinned(folder, packages) {
  const manifests = manifestsOf(packages);
  const stamp = path.join(folder, 'stamp');
  const wanted = manifests['package-lock.json'];
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const names = packages.map(({ name, version }) => `${name}@${version}`).join(' and ');
  console.log(`Installing ${names} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(manifests)) {
    writeFileSync(path.join(folder, file), text);
  }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder, ...quiet], {
    encoding: 'utf8',
    timeout: installLimitMs,
  });
  if (done.status !== 0) throw new ScriptError(reasonOf(done, names));
  writeFileSync(stamp, wanted);
}

function reasonOf({ stderr, error }, names) {
  const output = stderr ?? '';
  if (output.includes('EINTEGRITY')) {
    return `the registry has another file than the pinned one among ${names}, and it was refused`;
  }
  const code = /^npm error code (\S+)/m.exec(output)?.[1] ?? error?.code ?? 'no reason given';
  return `${names} did not come from the npm registry (${code})`;
}
