/** Everything that can be counted, in the text format of Prometheus. */

import {
  histogramSamples,
  printFamilies,
  single,
  type MetricFamily,
} from '../telemetry/exposition.js';
import {
  compatibilityMetrics,
  engineMetrics,
  kMetricPrefix,
  memoryMetrics,
  runtimeMetrics,
  serverMetrics,
} from '../telemetry/metric-names.js';
import { processFamilies } from '../telemetry/process-metrics.js';

import type { OperationsOptions } from './options.js';

export async function metricsText(
  options: OperationsOptions,
  queryFigures: Readonly<Record<string, number>>,
): Promise<string> {
  const fromSystem = await processFamilies();
  return printFamilies([
    upFamily(options),
    buildFamily(options),
    ...engineFamilies({ ...options.storage.stats(), ...queryFigures }),
    stageFamily(options),
    ...options.requestMetrics.families(),
    refusedFamily(options),
    options.eventLoopDelay.family(),
    ...fromSystem,
  ]);
}

function upFamily({ storage }: OperationsOptions): MetricFamily {
  const value = storage.stats()['writes_blocked'] === 1 ? 0 : 1;
  return single(`${kMetricPrefix}up`, serverMetrics.up.help, value);
}

function buildFamily({ version, commit, storage }: OperationsOptions): MetricFamily {
  const { type, help } = serverMetrics.build_info;
  const labels = { version, commit, kernel: storage.kernel, node: process.versions.node };
  return { name: `${kMetricPrefix}build_info`, type, help, samples: [{ labels, value: 1 }] };
}

function refusedFamily({ refusedConnections }: OperationsOptions): MetricFamily {
  const { help } = serverMetrics.connections_refused_total;
  return single(`${kMetricPrefix}connections_refused_total`, help, refusedConnections);
}

function stageFamily({ storage }: OperationsOptions): MetricFamily {
  const { type, help } = serverMetrics.stage_duration_seconds;
  const { bounds, stages } = storage.stageTimes();
  const samples = stages.flatMap((one) => histogramSamples({ stage: one.stage }, bounds, one));
  return { name: `${kMetricPrefix}stage_duration_seconds`, type, help, samples };
}

/** The specification's figures always; the others where the engine has them. */
function engineFamilies(stats: Readonly<Record<string, number>>): readonly MetricFamily[] {
  const specified = Object.entries({
    ...compatibilityMetrics,
    ...runtimeMetrics,
    ...memoryMetrics,
  });
  const further = Object.entries(engineMetrics).filter(([name]) => Object.hasOwn(stats, name));
  return [...specified, ...further].map(([name, help]) =>
    single(kMetricPrefix + name, help, stats[name] ?? 0),
  );
}
