// An addon of exactly these sources that is there already, so that a fresh clone does not compile:
// from an archive of this commit, or from an earlier build of this user. Uses only Node's own
// modules.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { inRoot } from '../project.mjs';

/** How many addons of earlier builds are kept; each has 4 MB. */
const keptMost = 8;

/** As machineKind() in src/storage/native/load.ts, which is needed after compilation. */
export function machineKind() {
  const { platform, arch, report } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  if ('excludeNetwork' in report) report.excludeNetwork = true;
  const isGlibc = 'glibcVersionRuntime' in report.getReport().header;
  return `${platform}-${arch}-${isGlibc ? 'glibc' : 'musl'}`;
}

/** Where `npm run package` writes archives. One may also be put into the clone's folder. */
function* archives() {
  for (const folder of [inRoot(), inRoot('build/package')]) {
    let names = [];
    try {
      names = readdirSync(folder);
    } catch {
      continue;
    }
    yield* names
      .filter((name) => /^seriesdb-.*\.tgz$/.test(name))
      .map((name) => path.join(folder, name));
  }
}

/** The bytes of an archive's addon, if it is of these sources and whole; else null. */
function fromArchive(archive, sources) {
  const read = (name) =>
    execFileSync('tar', ['-xzOf', archive, `package/build/addons/${name}`], {
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const told = JSON.parse(read('addons.json').toString());
    const kind = machineKind();
    if (told.sources !== sources || told.addons[kind] === undefined) return null;
    const bytes = read(`${kind}.node`);
    const hash = createHash('sha256').update(bytes).digest('hex');
    return hash === told.addons[kind].sha256 ? bytes : null;
  } catch {
    // There is no tar, or it is another archive.
    return null;
  }
}

/** The user's folder of earlier builds; null if others may write there, or there is none. */
function cacheFolder() {
  const { XDG_CACHE_HOME: given } = process.env;
  const base = given?.startsWith('/') === true ? given : path.join(os.homedir(), '.cache');
  const folder = path.join(base, 'seriesdb', 'addons');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? folder : null;
  } catch {
    return null;
  }
}

// Another compiler, or other flags of it, make another addon.
const compilerOf = () =>
  ['CC', 'CXX', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS'].map((name) => process.env[name] ?? '').join('\0');

function cachedFile(sources) {
  const folder = cacheFolder();
  if (folder === null) return null;
  const key = createHash('sha256').update(`${sources}\0${compilerOf()}`).digest('hex').slice(0, 32);
  return path.join(folder, `${key}-${machineKind()}.node`);
}

function put(file, bytes) {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.tmp`;
  writeFileSync(unfinished, bytes);
  renameSync(unfinished, file);
}

/**
 * Puts an addon of these sources at `target`, and returns where it is from. Null if there is none.
 */
export function takeReadyAddon(sources, target) {
  const cached = cachedFile(sources);
  try {
    if (cached !== null && statSync(cached).size > 0) {
      put(target, readFileSync(cached));
      utimesSync(cached, new Date(), new Date());
      return 'an earlier build';
    }
  } catch {
    // There is no earlier build.
  }
  for (const archive of archives()) {
    const bytes = fromArchive(archive, sources);
    if (bytes === null) continue;
    put(target, bytes);
    return path.basename(archive);
  }
  return null;
}

/** Keeps a compiled addon for other clones of this user. Without a folder for it, does nothing. */
export function keepAddon(sources, built) {
  const cached = cachedFile(sources);
  if (cached === null) return;
  try {
    const unfinished = `${cached}.${process.pid}.tmp`;
    copyFileSync(built, unfinished);
    renameSync(unfinished, cached);
    dropOldest(path.dirname(cached));
  } catch {
    // The disk is full, or read-only: the next clone compiles.
  }
}

function dropOldest(folder) {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const byAge = files.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const old of byAge.slice(keptMost)) rmSync(old, { force: true });
}
