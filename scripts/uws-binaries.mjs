// The uWebSockets.js binaries run in our process, so their identity is recorded. package.json has
// exact versions, package-lock.json has archive hashes, and scripts/uws-binaries.json has the
// SHA-256 of every file. The installation of dependencies and `npm run check` compare them; a start
// of the server does not. Uses only Node's own modules, because setup uses it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ScriptError, inRoot, main, readText, report } from './project.mjs';

const recordFile = 'scripts/uws-binaries.json';
const scope = '@uwsjs/';

const readJson = (file) => JSON.parse(readText(file));

/** Differences of an installed package: it must have exactly the recorded files. */
function* alterations(name, folder, sha256) {
  const found = readdirSync(folder, { recursive: true }).sort();
  const wanted = Object.keys(sha256).sort();
  if (found.join() !== wanted.join()) {
    yield `${name} holds ${found.join(', ')}, not ${wanted.join(', ')}`;
    return;
  }
  for (const file of wanted) {
    const digest = createHash('sha256').update(readFileSync(path.join(folder, file)));
    if (digest.digest('hex') !== sha256[file]) {
      yield `${file} of ${name} is not the file recorded in ${recordFile}`;
    }
  }
}

/**
 * Differences from the record in installed packages. As with `require`, the first of `folders` that
 * has a package counts. Empty if none is installed.
 */
export function alteredBinaries(folders) {
  return Object.entries(readJson(recordFile)).flatMap(([name, { sha256 }]) => {
    const folder = folders.map((one) => path.join(one, name)).find(existsSync);
    return folder === undefined ? [] : [...alterations(name, folder, sha256)];
  });
}

const ownFolders = () => createRequire(inRoot('package.json')).resolve.paths(scope) ?? [];

/** Throws if an installed binary differs from the record. */
export function refuseAlteredBinaries() {
  const [problem] = alteredBinaries(ownFolders());
  if (problem === undefined) return;
  throw new ScriptError(`${problem}; do not start seriesdb with it, but find out where it is from`);
}

/** The uWebSockets.js packages in package.json: [name, version]. */
export function uwsDependencies() {
  const { optionalDependencies } = readJson('package.json');
  return Object.entries(optionalDependencies).filter(([name]) => name.startsWith(scope));
}

function* unpinned() {
  const locked = readJson('package-lock.json').packages;
  const record = readJson(recordFile);
  const dependencies = uwsDependencies();
  for (const [name, version] of dependencies) {
    const { integrity, hasInstallScript, ...lock } = locked[`node_modules/${name}`] ?? {};
    if (!/^\d+\.\d+\.\d+$/.test(version)) yield `${name} has no exact version: ${version}`;
    if (lock.version !== version) yield `package-lock.json has ${name}@${lock.version}`;
    if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? '')) {
      yield `package-lock.json has no sha512 integrity for ${name}`;
    }
    if (hasInstallScript === true) yield `${name} runs a script when it is installed`;
    if (record[name]?.version !== version) yield `${recordFile} has no ${name}@${version}`;
  }
  const known = new Set(dependencies.map(([name]) => name));
  for (const name of Object.keys(record)) {
    if (!known.has(name)) yield `${recordFile} has ${name}, which package.json does not name`;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(() =>
    report('binaries of uWebSockets.js', [...unpinned(), ...alteredBinaries(ownFolders())]),
  );
}
