/** All counters and gauges in the text format of Prometheus. */

import {
  histogramSamples,
  printFamilies,
  single,
  type MetricFamily,
  type MetricSample,
} from '../telemetry/exposition.js';
import {
  bucketMetrics,
  compatibilityMetrics,
  degradedKinds,
  engineMetrics,
  indexMetrics,
  kMetricPrefix,
  memoryMetrics,
  runtimeMetrics,
} from '../telemetry/metric-names.js';
import { bucketFigures, kBucketKind } from '../telemetry/bucket-status.js';
import { latencyBounds } from '../telemetry/latency.js';
import { processFamilies } from '../telemetry/process-metrics.js';

import type { OperationsOptions } from './options.js';
import type { ServerFigures } from './thread-figures.js';

/** A family that is not a plain figure of the engine. */
interface ServerFamily {
  readonly type: MetricFamily['type'];
  readonly help: string;
  /** Labels of its samples, except `le` of a histogram. */
  readonly labels: readonly string[];
  readonly samples: (options: OperationsOptions, figures: ServerFigures) => readonly MetricSample[];
}

/** Of backups by schedule; without one they have no samples. */
const backupFamilies: Readonly<Record<string, ServerFamily>> = {
  backup_age_seconds: {
    type: 'gauge',
    help: 'Time since the last backup by schedule that succeeded; absent before the first one.',
    labels: [],
    samples: ({ backup }) => sampleOf(backup?.ageSeconds),
  },
  backup_every_seconds: {
    type: 'gauge',
    help: 'The setting `backup.every`.',
    labels: [],
    samples: ({ backup }) => sampleOf(backup?.everySeconds),
  },
  backup_seconds: {
    type: 'gauge',
    help: 'Duration of the last backup by schedule; absent before the first one.',
    labels: [],
    samples: ({ backup }) => sampleOf(backup?.lastSeconds),
  },
  backup_failed: {
    type: 'gauge',
    help: '1 if the last backup by schedule failed, else 0.',
    labels: [],
    samples: ({ backup }) => sampleOf(backup && Number(backup.lastFailure !== null)),
  },
  backup_total: {
    type: 'counter',
    help: 'Backups by schedule; `damaged`: files of the database are damaged, and it lacks them.',
    labels: ['outcome'],
    samples: ({ backup }) =>
      Object.entries(backup?.counts ?? {}).map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
  },
};

const sampleOf = (value: number | null | undefined): readonly MetricSample[] =>
  value === null || value === undefined ? [] : [{ value }];

/** Figures of the server itself; shown with the prefix. */
export const serverMetrics: Readonly<Record<string, ServerFamily>> = {
  up: {
    type: 'gauge',
    help: '1 while the database accepts writes, else 0.',
    labels: [],
    samples: ({ storage }) => [{ value: storage.stats()['writes_blocked'] === 1 ? 0 : 1 }],
  },
  degraded: {
    type: 'gauge',
    help: 'Reasons why the database or the server is degraded, by kind; /status has the sentences.',
    labels: ['reason'],
    samples: degradedSamples,
  },
  build_info: {
    type: 'gauge',
    help: 'Always 1; the labels identify the build: version, commit (if known), vector kernel, Node.js.',
    labels: ['version', 'commit', 'kernel', 'node'],
    samples: ({ version, commit, storage: { kernel } }) => [
      { labels: { version, commit, kernel, node: process.versions.node }, value: 1 },
    ],
  },
  http_requests_total: {
    type: 'counter',
    help: 'Requests answered; status 0 is a client that went away, route none an unknown path.',
    labels: ['route', 'method', 'status'],
    samples: (_, { requests }) => requests.counts(),
  },
  protocol_requests_total: {
    type: 'counter',
    help: 'Requests of foreign protocols answered; status 0 is a client that went away.',
    labels: ['protocol', 'status'],
    samples: (_, { requests: { protocols } }) => protocols.counts('requests', 'status'),
  },
  protocol_samples_total: {
    type: 'counter',
    help: 'Samples stored, by protocol.',
    labels: ['protocol'],
    samples: (_, { requests: { protocols } }) => protocols.samples(),
  },
  protocol_rejected_total: {
    type: 'counter',
    help: 'Rejected lines of requests whose other lines were stored.',
    labels: ['protocol', 'code'],
    samples: (_, { requests: { protocols } }) => protocols.counts('rejected', 'code'),
  },
  protocol_skipped_total: {
    type: 'counter',
    help: 'Non-numeric values skipped in lines that were stored without them.',
    labels: ['protocol', 'reason'],
    samples: (_, { requests: { protocols } }) => protocols.counts('skipped', 'reason'),
  },
  export_left_out_total: {
    type: 'counter',
    help: 'Samples that exports over HTTP skipped because their values are not finite.',
    labels: [],
    samples: (_, { requests: { leftOut } }) => [{ value: leftOut }],
  },
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the end of the request head to the end of the answer.',
    labels: ['route', 'method', 'class'],
    samples: (_, { requests }) => requests.durations(),
  },
  listener_requests_total: {
    type: 'counter',
    help: 'Requests answered by each thread that serves connections.',
    labels: ['thread'],
    samples: (_, { answered }) =>
      answered.map((value, thread) => ({ labels: { thread: String(thread) }, value })),
  },
  listeners_replaced_total: {
    type: 'counter',
    help: 'Listener threads that ran out of memory, lost their connections, and were replaced.',
    labels: [],
    samples: ({ replacedListeners }) => [{ value: replacedListeners }],
  },
  connections_refused_total: {
    type: 'counter',
    help: 'Connections closed on accept because the remaining file descriptors are reserved for files.',
    labels: [],
    samples: ({ refusedConnections }) => [{ value: refusedConnections }],
  },
  bucket_requests_total: {
    type: 'counter',
    help: 'Requests to the object store, by operation and what is known of them.',
    labels: ['op', 'outcome'],
    samples: ({ bucket }) =>
      (bucket?.requests() ?? []).map(({ op, outcome, count }) => ({
        labels: { op, outcome },
        value: count,
      })),
  },
  bucket_bytes_total: {
    type: 'counter',
    help: 'Bytes of bodies sent to the object store or received, by operation.',
    labels: ['op'],
    samples: ({ bucket }) =>
      (bucket?.bytes() ?? []).map(({ op, bytes }) => ({ labels: { op }, value: bytes })),
  },
  ...backupFamilies,
  disk_free_bytes: {
    type: 'gauge',
    help: 'Free bytes of the file system that holds the database; absent if unknown.',
    labels: [],
    samples: ({ diskFreeBytes }) => (diskFreeBytes === null ? [] : [{ value: diskFreeBytes }]),
  },
  stage_duration_seconds: {
    type: 'histogram',
    help: 'Time of one step: parsing a chunk; logging, syncing or applying a batch; a flush; reading a piece.',
    labels: ['stage'],
    samples: stageSamples,
  },
  event_loop_delay_seconds: {
    type: 'histogram',
    help: 'Delay of a timer beyond its due time: how long requests waited for the event loop.',
    labels: [],
    samples: (_, { eventLoopDelay }) => histogramSamples({}, latencyBounds, eventLoopDelay),
  },
};

function degradedSamples(options: OperationsOptions): readonly MetricSample[] {
  const { storage, degradedReasons, bucket } = options;
  const counts = new Map<string, number>(degradedKinds.map((kind) => [kind, 0]));
  const isLost = (bucket?.failure() ?? null) !== null;
  const kinds = [
    ...storage.degradedKinds(),
    ...degradedReasons.map(() => 'connections'),
    ...(isLost ? [kBucketKind] : []),
  ];
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([reason, value]) => ({ labels: { reason }, value }));
}

function stageSamples({ storage }: OperationsOptions): readonly MetricSample[] {
  const { bounds, stages } = storage.stageTimes();
  return stages.flatMap((one) => histogramSamples({ stage: one.stage }, bounds, one));
}

export async function metricsText(
  options: OperationsOptions,
  figures: ServerFigures,
): Promise<string> {
  const fromSystem = await processFamilies();
  return printFamilies([
    ...serverFamilies(options, figures),
    ...engineFamilies({ ...options.storage.stats(), ...figures.queries }),
    ...bucketFamilies(options.storage.stats()),
    ...fromSystem,
  ]);
}

function serverFamilies(
  options: OperationsOptions,
  figures: ServerFigures,
): readonly MetricFamily[] {
  return Object.entries(serverMetrics).map(([name, { type, help, samples }]) => ({
    ...{ name: kMetricPrefix + name, type, help },
    samples: samples(options, figures),
  }));
}

function bucketFamilies(stats: Readonly<Record<string, number>>): readonly MetricFamily[] {
  const found = bucketFigures(stats);
  return Object.entries(bucketMetrics).flatMap(([name, help]) => {
    const value = found[name];
    return value === undefined ? [] : [single(kMetricPrefix + name, help, value)];
  });
}

/** The figures of the specification are always present; others if the engine has them. */
function engineFamilies(stats: Readonly<Record<string, number>>): readonly MetricFamily[] {
  const specified = Object.entries({
    ...compatibilityMetrics,
    ...runtimeMetrics,
    ...memoryMetrics,
    ...indexMetrics,
  });
  const further = Object.entries(engineMetrics).filter(([name]) => Object.hasOwn(stats, name));
  return [...specified, ...further].map(([name, help]) =>
    single(kMetricPrefix + name, help, stats[name] ?? 0),
  );
}
