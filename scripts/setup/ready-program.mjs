// The program and the page of exactly these sources that are there already, so that `npm start` in
// a fresh clone installs no tools to build them: from an archive of this commit, or from an earlier
// build of this user. Uses only Node's own modules.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';

import { inRoot } from '../project.mjs';
import { archives, cacheFolder, dropOldest, readArchived } from './ready-made.mjs';

/** What a build is, below dist/. Its stamps are the hashes of its sources. */
const parts = ['bin', 'ui', '.program-stamp', '.page-stamp'];

function cachedFolder({ program, page }) {
  const folder = cacheFolder('programs');
  if (folder === null) return null;
  const key = createHash('sha256').update(`${program}\0${page}`).digest('hex').slice(0, 32);
  return path.join(folder, key);
}

function isOfSources(archive, { program, page }) {
  const stampOf = (name) => readArchived(archive, `dist/${name}`).toString();
  try {
    return stampOf('.program-stamp') === program && stampOf('.page-stamp') === page;
  } catch {
    // There is no tar, or it is another archive.
    return false;
  }
}

// The stamps come last: a half-written build has none, and is built again.
function place(copy) {
  for (const part of parts) rmSync(inRoot('dist', part), { recursive: true, force: true });
  mkdirSync(inRoot('dist'), { recursive: true });
  for (const part of parts) copy(part);
}

/**
 * Puts the program and the page of these sources into dist/, and returns where they are from. Null
 * if there are none.
 */
export function takeReadyProgram(hashes) {
  const cached = cachedFolder(hashes);
  if (cached !== null && existsSync(cached)) {
    place((part) => cpSync(path.join(cached, part), inRoot('dist', part), { recursive: true }));
    utimesSync(cached, new Date(), new Date());
    return 'an earlier build';
  }
  for (const archive of archives()) {
    if (!isOfSources(archive, hashes)) continue;
    const into = ['-xzf', archive, '-C', inRoot('dist'), '--strip-components=2'];
    place((part) => execFileSync('tar', [...into, `package/dist/${part}`]));
    return path.basename(archive);
  }
  return null;
}

/** Keeps what was built for other clones of this user. Without a folder for it, does nothing. */
export function keepProgram(hashes) {
  const cached = cachedFolder(hashes);
  if (cached === null || existsSync(cached)) return;
  const unfinished = `${cached}.${process.pid}.tmp`;
  try {
    for (const part of parts) {
      cpSync(inRoot('dist', part), path.join(unfinished, part), { recursive: true });
    }
    renameSync(unfinished, cached);
    dropOldest(path.dirname(cached));
  } catch {
    // The disk is full, or read-only: the next clone builds.
    rmSync(unfinished, { recursive: true, force: true });
  }
}
