// The addons of the archive, one for each kind of machine, in build/addons. addons.json beside them
// has the hash of the sources, and each file's hash, build-id and the C library that it asks for.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import {
  addonPath,
  ensureAddon,
  packedAddons,
  packedFolder,
  sourcesHash,
} from '../native-build.mjs';
import { needLoads } from '../build-addon.mjs';
import { ScriptError, glibcOf, inRoot, outputOf } from '../project.mjs';
import { machineKind } from '../setup/ready-addon.mjs';
import { crossDefinitions, installZig } from './zig.mjs';

/**
 * The names are those of machineKind() in src/storage/native/load.ts. glibc 2.28 is that of RHEL 8
 * and Debian 10.
 */
export const kinds = {
  'linux-x64-glibc': 'x86_64-linux-gnu.2.28',
  'linux-arm64-glibc': 'aarch64-linux-gnu.2.28',
  'linux-x64-musl': 'x86_64-linux-musl',
  'linux-arm64-musl': 'aarch64-linux-musl',
};

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

function buildIdOf(file) {
  const notes = outputOf('readelf', ['-n', file]) ?? '';
  const id = /Build ID: ([0-9a-f]+)/.exec(notes)?.[1];
  if (id === undefined) throw new ScriptError(`${file} has no build-id, or readelf is missing`);
  return id;
}

/** Copies an addon into build/addons. Returns its row in addons.json. */
function place(kind, built) {
  const file = inRoot(packedFolder, `${kind}.node`);
  // A new file: a process may have loaded the former one.
  rmSync(file, { force: true });
  copyFileSync(built, file);
  const bytes = readFileSync(file);
  return {
    sha256: hashOf(bytes),
    buildId: buildIdOf(file),
    glibc: glibcOf(file),
    bytes: bytes.length,
  };
}

function record(addons) {
  const told = { sources: sourcesHash(), addons };
  writeFileSync(inRoot(packedAddons), `${JSON.stringify(told, null, 2)}\n`);
  return told;
}

async function crossBuild(kind) {
  const build = {
    folder: `build/cross/${kind}`,
    title: `Compiling for ${kind}`,
    definitions: crossDefinitions(kinds[kind]),
  };
  await ensureAddon(build);
  const file = inRoot(addonPath(build.folder));
  if (kind === machineKind()) needLoads(file);
  return file;
}

function needOldEnough([kind, { glibc }]) {
  const [, most] = /gnu\.(.*)$/.exec(kinds[kind]) ?? [];
  const minorOf = (version) => Number(version.split('.')[1]);
  if (glibc === null || (most !== undefined && minorOf(glibc) <= minorOf(most))) return;
  throw new ScriptError(`the addon for ${kind} asks for glibc ${glibc}, and may for ${most}`);
}

/** Compiles the addons of all kinds. Returns what addons.json has. */
export async function makeAddons() {
  installZig();
  mkdirSync(inRoot(packedFolder), { recursive: true });
  const rows = [];
  for (const kind of Object.keys(kinds)) rows.push([kind, place(kind, await crossBuild(kind))]);
  rows.forEach(needOldEnough);
  return record(Object.fromEntries(rows));
}

/**
 * For tests: without compiling for other machines, the addon that was built here is the only one.
 * Keeps what makeAddons() made of these sources.
 */
export function makeAddonOfHere() {
  const file = inRoot(packedAddons);
  if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).sources === sourcesHash()) return;
  const built = inRoot(addonPath());
  if (!existsSync(built)) throw new ScriptError(`there is no ${built}; run "npm run build"`);
  rmSync(inRoot(packedFolder), { recursive: true, force: true });
  mkdirSync(inRoot(packedFolder), { recursive: true });
  const kind = machineKind();
  record({ [kind]: place(kind, built) });
}
