/** The files and sockets of this process, as Linux tells them; null elsewhere. */

import { readdir, readFile } from 'node:fs/promises';

export async function openDescriptorCount(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // Not Linux, or not even one descriptor is left to look with.
    return null;
  }
}

/** The most that may be open at a time. Null also where there is no limit. */
export async function descriptorLimit(): Promise<number | null> {
  try {
    const text = await readFile('/proc/self/limits', 'utf8');
    const limit = /^Max open files\s+(\S+)/m.exec(text)?.[1];
    return limit === undefined || limit === 'unlimited' ? null : Number(limit);
  } catch {
    return null;
  }
}
