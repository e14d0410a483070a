/** What the operating system knows about this process, under the names that every one uses. */

import { descriptorLimit, openDescriptorCount } from './descriptors.js';
import { single, type MetricFamily } from './exposition.js';

/** What the system says, asked once for all figures. */
interface ProcessFacts {
  readonly usage: NodeJS.ResourceUsage;
  readonly memory: NodeJS.MemoryUsage;
  readonly openFiles: number | null;
  readonly fileLimit: number | null;
}

interface ProcessMetric {
  readonly help: string;
  /** Null where this system does not tell. */
  readonly value: (facts: ProcessFacts) => number | null;
}

/** The name tells a counter from a gauge. */
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

/** Figures that this system does not tell are left out. */
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
