/**
 * Standard error and standard output, whose reader may go away at any time. Work that does not need
 * the reader goes on: a server serves, a load stores the rest of its input.
 */

import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const kStandardError = 2;

/** Call once, on the main thread, before anything is written. */
export function outliveReaders(): void {
  process.stderr.on('error', nothing);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Any other failure loses output that somebody still wants; commands listen for it.
    if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error;
  });
}

/** For a program whose standard output is only a courtesy: no failure of it matters. */
export function outliveOutput(): void {
  process.stdout.on('error', nothing);
}

/** Never throws. A line that nobody takes is lost. */
export function writeErrorLine(line: string): void {
  try {
    // Node.js ends a stream at its first failure. The file behind it may take lines later, when a
    // full disk has room. The stream of another thread would queue lines for a stream that ended.
    if (isMainThread && !process.stderr.destroyed) process.stderr.write(line);
    else writeSync(kStandardError, line);
  } catch {
    // There is no place left to tell it.
  }
}

function nothing(): void {
  // The writer goes on.
}
