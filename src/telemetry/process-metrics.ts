/** Operating system figures of this process, under the usual Prometheus names. */

import { descriptorLimit, openDescriptorCount } from './descriptors.js';
import { single, type MetricFamily } from './exposition.js';

/** System figures, read once for all metrics. */
interface ProcessFacts {
  readonly usage: NodeJS.ResourceUsage;
  readonly memory: NodeJS.MemoryUsage;
  readonly openFiles: number | null;
  readonly fileLimit: number | null;
}

interface ProcessMetric {
  readonly help: string;
  /** Returns null if this system has no such figure. */
  readonly value: (facts: ProcessFacts) => number | null;
}

/** The suffix `_total` marks a counter; other names are gauges. */
export const processMetrics: Readonly<Record<string, ProcessMetric>> = {
  process_cpu_seconds_total: {
    help: 'Processor time used, user and system.',
    value: ({ usage }) => (usage.userCPUTime + usage.systemCPUTime) / 1e6,
  },
  process_resident_memory_bytes: {
    help: 'Memory of the process in RAM.',
    value: ({ memory }) => memory.rss,
  },
  process_start_time_seconds: {
    help: 'Start time of the process, in seconds since 1970.',
    value: () => Date.now() / 1000 - process.uptime(),
  },
  process_major_page_faults_total: {
    help: 'Memory accesses that waited for the disk, mostly for segments that were not cached.',
    value: ({ usage }) => usage.majorPageFault,
  },
  process_open_fds: {
    help: 'Open files and sockets.',
    value: ({ openFiles }) => openFiles,
  },
  process_max_fds: {
    help: 'Limit on open files and sockets.',
    value: ({ fileLimit }) => fileLimit,
  },
  nodejs_heap_used_bytes: {
    help: 'Memory used by JavaScript objects of the first thread.',
    value: ({ memory }) => memory.heapUsed,
  },
  nodejs_external_memory_bytes: {
    help: 'Memory bound to JavaScript objects of the first thread.',
    value: ({ memory }) => memory.external,
  },
};

/** The metrics that this system provides. */
export async function processFamilies(): Promise<readonly MetricFamily[]> {
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const [openFiles, fileLimit] = await Promise.all([openDescriptorCount(), descriptorLimit()]);
  const facts = { usage, memory, openFiles, fileLimit };
  return Object.entries(processMetrics).flatMap(([name, { help, value }]) => {
    const told = value(facts);
    return told === null ? [] : [single(name, help, told)];
  });
}
