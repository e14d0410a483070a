/**
 * A program that came without V8's compiled code, as an archive does, is compiled at its start.
 * Beside the first such server, another process does it for later starts, into the user's cache.
 */

import { spawn } from 'node:child_process';

import { environmentOfChild } from './environment.js';
import { cachedPlace, makeCache } from './kept-places.js';
import { givenFlags } from './v8-flags.js';

import type { Chunks } from './chunks.js';

/** The first requests of the server come first. */
const kDelayMs = 3_000;

/** `folder` is that of the program, and ends in a slash. Does nothing but for a server. */
export function compileLater(folder: string, chunks: Chunks): void {
  if (chunks.hasKept || process.argv[2] !== 'serve') return;
  setTimeout(() => {
    makeCache(folder);
    // Without a place for the code, every start would compile it in vain.
    if (cachedPlace(folder, givenFlags()) !== null) compile(`${folder}compile-ahead.js`);
  }, kDelayMs).unref();
}

function compile(script: string): void {
  const child = spawn(process.execPath, [...process.execArgv, script, '--cache'], {
    stdio: 'ignore',
    env: environmentOfChild(),
  });
  // Without it, the next start takes longer.
  child.on('error', () => undefined);
  child.unref();
}
