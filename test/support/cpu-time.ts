/** Time that threads had a processor, in which other work on the machine does not count. */
import { readFileSync } from 'node:fs';

/** Of the thread that a folder of /proc is of, so far. */
export function cpuSecondsOf(threadFolder: string): number {
  const [ran = '0'] = readFileSync(`${threadFolder}/schedstat`, 'utf8').split(' ');
  return Number(ran) / 1e9;
}

/** Of this thread. */
export const cpuMs = (): number => cpuSecondsOf('/proc/thread-self') * 1000;
