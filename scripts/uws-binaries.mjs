// The uWebSockets.js binaries run in our process, so their identity is recorded. package.json has
// exact versions, package-lock.json has archive hashes, scripts/uws-binaries.json has the SHA-256
// of every file but the binary, and src/http/transport/uws-hashes.ts that of the binary. Setting up
// a clone, packaging and `npm run check` compare all; a server compares the binary that it loads.
// Uses only Node's own modules, because setup uses it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ScriptError, inRoot, main, readText, report } from './project.mjs';

const recordFile = 'scripts/uws-binaries.json';
const hashFile = 'src/http/transport/uws-hashes.ts';
const scope = '@uwsjs/';

const readJson = (file) => JSON.parse(readText(file));

/** What both files record, by package. */
function readRecord() {
  const hashes = new Map(
    [...readText(hashFile).matchAll(/'([\w-]+)':\s+'([0-9a-f]{64})'/g)].map(([, name, hash]) => [
      scope + name,
      hash,
    ]),
  );
  const files = Object.entries(readJson(recordFile)).map(([name, { version, sha256 }]) => {
    const hash = hashes.get(name);
    if (hash === undefined) throw new Error(`${hashFile} has no ${name}`);
    return [name, { version, sha256: { ...sha256, 'uws.node': hash } }];
  });
  return Object.fromEntries(files);
}

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
      yield `${file} of ${name} is not the recorded file`;
    }
  }
}

/**
 * Differences from the record in installed packages. As with `require`, the first of `folders` that
 * has a package counts. Empty if none is installed.
 */
export function alteredBinaries(folders) {
  return Object.entries(readRecord()).flatMap(([name, { sha256 }]) => {
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
  const record = readRecord();
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
