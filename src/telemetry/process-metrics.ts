/** What the operating system knows about this process. */

import { single, type MetricFamily } from './exposition.js';

export function processFamilies(): readonly MetricFamily[] {
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const cpuSeconds = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
  const startSeconds = Date.now() / 1000 - process.uptime();
  return [
    single('process_cpu_seconds_total', 'Processor time used, user and system.', cpuSeconds),
    single('process_resident_memory_bytes', 'Memory of the process in RAM.', memory.rss),
    single('process_start_time_seconds', 'When the process started, since 1970.', startSeconds),
    single('nodejs_heap_used_bytes', 'Memory used by JavaScript objects.', memory.heapUsed),
    single('nodejs_external_memory_bytes', 'Memory bound to JavaScript objects.', memory.external),
  ];
}
