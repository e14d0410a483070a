/** CPU time of threads, which does not include other processes. */
import { readFileSync } from 'node:fs';

/** The CPU time so far of the thread with this /proc folder. */
export function cpuSecondsOf(threadFolder: string): number {
  const [ran = '0'] = readFileSync(`${threadFolder}/schedstat`, 'utf8').split(' ');
  return Number(ran) / 1e9;
}

/** CPU time of this thread, in milliseconds. */
export const cpuMs = (): number => cpuSecondsOf('/proc/thread-self') * 1000;
