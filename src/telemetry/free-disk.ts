/** Free disk space of the database. */

import { statfsSync } from 'node:fs';

/** Free bytes in the directory's file system; null if the system does not say. */
export function freeDiskBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    // Reads and writes in the directory report the error.
    return null;
  }
}
