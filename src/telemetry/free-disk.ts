/** How much room there is for the database. */

import { statfsSync } from 'node:fs';

/** Bytes that its file system has for us; null where that does not say. */
export function freeDiskBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    // Whoever reads or writes there is told what is wrong with it.
    return null;
  }
}
