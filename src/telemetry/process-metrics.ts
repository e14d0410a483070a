/** What the operating system knows about this process. */

import { readdir, readFile } from 'node:fs/promises';

import { single, type MetricFamily } from './exposition.js';
import { processMetrics } from './metric-names.js';

/** Figures that this system does not tell are left out. */
export async function processFamilies(): Promise<readonly MetricFamily[]> {
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const [openFiles, fileLimit] = await Promise.all([openFileCount(), openFileLimit()]);
  const values: Readonly<Record<keyof typeof processMetrics, number | null>> = {
    process_cpu_seconds_total: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
    process_resident_memory_bytes: memory.rss,
    process_start_time_seconds: Date.now() / 1000 - process.uptime(),
    process_open_fds: openFiles,
    process_max_fds: fileLimit,
    nodejs_heap_used_bytes: memory.heapUsed,
    nodejs_external_memory_bytes: memory.external,
  };
  return Object.entries(processMetrics).flatMap(([name, help]) => {
    const value = values[name as keyof typeof processMetrics];
    return value === null ? [] : [single(name, help, value)];
  });
}

async function openFileCount(): Promise<number | null> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    // Not Linux: nobody counts them cheaply.
    return null;
  }
}

async function openFileLimit(): Promise<number | null> {
  try {
    const text = await readFile('/proc/self/limits', 'utf8');
    const limit = /^Max open files\s+(\S+)/m.exec(text)?.[1];
    return limit === undefined || limit === 'unlimited' ? null : Number(limit);
  } catch {
    // Not Linux.
    return null;
  }
}
