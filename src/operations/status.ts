/** The state of the database, for `/status` and `/metrics`. */

import { single, printFamilies, type MetricFamily } from '../telemetry/exposition.js';
import { compatibilityMetrics, kMetricPrefix, runtimeMetrics } from '../telemetry/metric-names.js';
import { processFamilies } from '../telemetry/process-metrics.js';

import type { OperationsOptions } from './options.js';

type Counters = Readonly<Record<string, number>>;

/** The specification's status object, with `reasons` and `warnings` where there are any. */
export interface StatusSnapshot {
  readonly status: 'ok' | 'degraded';
  readonly reasons?: readonly string[];
  readonly warnings?: readonly string[];
  readonly cas_mode: 'off' | 'dual_write';
  readonly metadata_read_mode: 'legacy' | 'shadow' | 'primary';
  readonly query_compiler_mode: 'legacy' | 'shadow' | 'compiled';
  readonly compatibility_debt: Counters;
  readonly runtime: Counters;
}

export function statusSnapshot(options: OperationsOptions): StatusSnapshot {
  const reasons = options.storage.degradedReasons();
  const stats = options.storage.stats();
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(options.warnings.length === 0 ? {} : { warnings: options.warnings }),
    cas_mode: 'dual_write',
    metadata_read_mode: 'primary',
    query_compiler_mode: 'compiled',
    compatibility_debt: pick(stats, compatibilityMetrics),
    runtime: pick(stats, runtimeMetrics),
  };
}

export function metricsText(options: OperationsOptions): string {
  const stats = options.storage.stats();
  const named = { ...compatibilityMetrics, ...runtimeMetrics };
  const families: MetricFamily[] = [
    single(`${kMetricPrefix}up`, 'Whether the database takes writes.', upValue(options)),
    {
      name: `${kMetricPrefix}build_info`,
      type: 'gauge',
      help: 'Always 1; the version is in the label.',
      samples: [{ labels: { version: options.version, node: process.version }, value: 1 }],
    },
  ];
  for (const [name, help] of Object.entries(named)) {
    families.push(single(kMetricPrefix + name, help, stats[name] ?? 0));
  }
  for (const [name, value] of Object.entries(stats)) {
    if (Object.hasOwn(named, name) || !/^[a-z][a-z0-9_]*$/.test(name)) continue;
    families.push(single(kMetricPrefix + name, `Engine figure ${name}.`, value));
  }
  return printFamilies([...families, ...options.requestMetrics.families(), ...processFamilies()]);
}

function upValue(options: OperationsOptions): number {
  return options.storage.degradedReasons().length === 0 ? 1 : 0;
}

/** The named counters; zero where the feature does not exist yet. */
function pick(stats: Counters, names: Readonly<Record<string, string>>): Counters {
  return Object.fromEntries(Object.keys(names).map((name) => [name, stats[name] ?? 0]));
}
