/** CPU time of threads, which does not include other processes. */
import { readFileSync } from 'node:fs';

/** The CPU time so far of the thread with this /proc folder. */
export function cpuSecondsOf(threadFolder: string): number {
  const [ran = '0'] = readFileSync(`${threadFolder}/schedstat`, 'utf8').split(' ');
  return Number(ran) / 1e9;
}

/** CPU time of this thread, in milliseconds. */
export const cpuMs = (): number => cpuSecondsOf('/proc/thread-self') * 1000;

const kPageSize = 4096;
const kUsualMsPerPage = 0.4e-3;

/**
 * What this machine takes for a fresh page of memory, above what most take, in milliseconds. A
 * virtual machine may take 13 us a page, so that 16 MiB take longer than what a test times.
 */
const extraMsPerPage = ((): number => {
  let least = Infinity;
  for (let run = 0; run < 4; run++) {
    const bytes = new Uint8Array(4 << 20);
    const [before, pagesBefore] = [process.cpuUsage(), freshPages()];
    for (let at = 0; at < bytes.length; at += kPageSize) bytes[at] = 1;
    const { user, system } = process.cpuUsage(before);
    const pages = freshPages() - pagesBefore;
    if (pages > 0) least = Math.min(least, (user + system) / 1000 / pages);
  }
  return least === Infinity ? 0 : Math.max(0, least - kUsualMsPerPage);
})();

function freshPages(): number {
  return process.resourceUsage().minorPageFault;
}

/**
 * Starts to count the CPU time of this process, in milliseconds, without what this machine takes
 * more than others for fresh pages. The result tells the time so far.
 */
export function cpuTimer(): () => number {
  const [before, pagesBefore] = [process.cpuUsage(), freshPages()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.max(0, (user + system) / 1000 - (freshPages() - pagesBefore) * extraMsPerPage);
  };
}
