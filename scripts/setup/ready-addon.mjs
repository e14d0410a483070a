// An addon of exactly these sources that is there already, so that a fresh clone does not compile:
// from an archive of this commit, or from an earlier build of this user. Uses only Node's own
// modules.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { archives, cacheFolder, dropOldest, readArchived } from './ready-made.mjs';

/** As machineKind() in src/storage/native/load.ts, which is needed after compilation. */
export function machineKind() {
  const { platform, arch, report } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  if ('excludeNetwork' in report) report.excludeNetwork = true;
  const isGlibc = 'glibcVersionRuntime' in report.getReport().header;
  return `${platform}-${arch}-${isGlibc ? 'glibc' : 'musl'}`;
}

/** The bytes of an archive's addon, if it is of these sources and whole; else null. */
function fromArchive(archive, sources) {
  const read = (name) => readArchived(archive, `build/addons/${name}`);
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

// Another compiler, or other flags of it, make another addon.
const compilerOf = () =>
  ['CC', 'CXX', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS'].map((name) => process.env[name] ?? '').join('\0');

function cachedFile(sources) {
  const folder = cacheFolder('addons');
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
