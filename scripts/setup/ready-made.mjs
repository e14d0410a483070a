// What is kept of earlier builds and found in archives, so that a fresh clone builds nothing: the
// folders and their rules. Uses only Node's own modules.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { inRoot } from '../project.mjs';

/** How many builds of a kind are kept; an addon has 4 MB, a program 7 MB. */
const keptMost = 8;

/** Where `npm run package` writes archives. One may also be put into the clone's folder. */
export function* archives() {
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

/** The bytes of a file in an archive. Throws if there is none, or no tar. */
export function readArchived(archive, name) {
  return execFileSync('tar', ['-xzOf', archive, `package/${name}`], {
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** The user's folder of earlier builds of a kind; null if others may write there. */
export function cacheFolder(kind) {
  const { XDG_CACHE_HOME: given } = process.env;
  const base = given?.startsWith('/') === true ? given : path.join(os.homedir(), '.cache');
  const folder = path.join(base, 'seriesdb', kind);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? folder : null;
  } catch {
    return null;
  }
}

/** Removes all but the builds that were used last. */
export function dropOldest(folder) {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const byAge = files.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const old of byAge.slice(keptMost)) rmSync(old, { recursive: true, force: true });
}
