/** Open files, sockets and limits of this process, from Linux's /proc. Null on other systems. */

import { readdir, readFile } from 'node:fs/promises';

export async function openDescriptorCount(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // Not Linux, or no descriptor is left for reading /proc.
    return null;
  }
}

/** A soft limit by its name in /proc/self/limits. Null also means no limit. */
export async function softLimit(name: string): Promise<number | null> {
  try {
    const text = await readFile('/proc/self/limits', 'utf8');
    const limit = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(text)?.[1];
    return limit === undefined || limit === 'unlimited' ? null : Number(limit);
  } catch {
    return null;
  }
}

/** The limit of open descriptors. Null also means no limit. */
export const descriptorLimit = (): Promise<number | null> => softLimit('Max open files');
