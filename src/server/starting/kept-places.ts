/**
 * Where the code that V8 compiled is kept: beside the program, where its installation puts it, or
 * in the cache of the user who runs the server. V8 runs what it finds there, so that nobody else
 * may write into that folder.
 */

import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { cacheBase } from './environment.js';

/** The part of the flags in `v8-flags.ts` that V8 has. Each set has its own code. */
export type FlagSet = 'none' | 'some' | 'all';

/** Several versions of Node.js may run the same program. */
function fileName(flags: FlagSet): string {
  const of = flags === 'none' ? '' : `-${flags}`;
  return `compiled-${process.version}-${process.arch}${of}.bin`;
}

/** `folder` is that of the program, and ends in a slash. */
export const placeBeside = (folder: string, flags: FlagSet): string => folder + fileName(flags);

/**
 * Each installed program has its own folder there. Null without a folder that only this user can
 * write into.
 */
export function cachedPlace(folder: string, flags: FlagSet): string | null {
  const cache = cacheOf(folder);
  return isOwn(cache) ? path.join(cache, fileName(flags)) : null;
}

/** Makes the folder of cachedPlace(). Failing that, there is none. */
export function makeCache(folder: string): void {
  try {
    mkdirSync(cacheOf(folder), { recursive: true, mode: 0o700 });
  } catch {
    // The user has no home, or it is read-only.
  }
}

function cacheOf(folder: string): string {
  const program = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return path.join(cacheBase(), 'seriesdb', program);
}

/** True if the folder exists and only this user can write into it. */
function isOwn(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
