/**
 * Standard error and standard output, whose reader may close them at any time. Work that does not
 * need the reader continues: a server serves, and a load stores the rest of its input.
 */

import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const kStandardError = 2;

/** Call this once, on the main thread, before any output. */
export function outliveReaders(): void {
  process.stderr.on('error', nothing);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Any other failure loses output that a reader still expects. Commands listen for it.
    if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error;
  });
}

/** For programs whose standard output is optional: its failures are ignored. */
export function outliveOutput(): void {
  process.stdout.on('error', nothing);
}

/** Never throws. If no reader takes the line, it is lost. */
export function writeErrorLine(line: string): void {
  try {
    // Node.js ends a stream at its first failure. The file may accept lines later, when a full disk
    // has space. On other threads, the stream would queue lines for an ended stream.
    if (isMainThread && !process.stderr.destroyed) process.stderr.write(line);
    else writeSync(kStandardError, line);
  } catch {
    // No place is left to report the failure.
  }
}

function nothing(): void {
  // The writer continues.
}
