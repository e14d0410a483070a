/** What the operating system knows about this process. */

import { descriptorLimit, openDescriptorCount } from './descriptors.js';
import { single, type MetricFamily } from './exposition.js';
import { processMetrics } from './metric-names.js';

/** Figures that this system does not tell are left out. */
export async function processFamilies(): Promise<readonly MetricFamily[]> {
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const [openFiles, fileLimit] = await Promise.all([openDescriptorCount(), descriptorLimit()]);
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
