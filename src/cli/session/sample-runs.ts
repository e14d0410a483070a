/**
 * Reads a database as runs of samples of one series. Metrics ascend by name, series by id, samples
 * by time, so that equal databases give equal output.
 */

import type {
  HealthFilter,
  Labels,
  MetricDescriptor,
  MetricFilter,
  MetricHealth,
  RangeQuery,
  Sample,
  SeriesDescriptor,
  SeriesFilter,
} from '../../client/client.js';
import { exportedMetrics, type ExportedMetric } from '../../common/model/exported-metric.js';

/** A server, or a directory that is open for reading. */
export interface ExportSource {
  findMetrics(filter: MetricFilter): Promise<readonly MetricDescriptor[]>;
  metricsHealth(filter: HealthFilter): Promise<readonly MetricHealth[]>;
  findSeries(filter: SeriesFilter): Promise<readonly SeriesDescriptor[]>;
  streamRange(query: RangeQuery): AsyncGenerator<Sample[]>;
}

/** The selected series and times; both ends inclusive. */
export interface ExportRange {
  readonly prefix: string;
  readonly labels: Labels;
  readonly start: bigint;
  readonly end: bigint;
}

interface ExportedSample {
  readonly ts: bigint;
  readonly value: number;
}

export interface SampleRun {
  readonly metric: ExportedMetric;
  readonly series: SeriesDescriptor;
  readonly samples: readonly ExportedSample[];
  /**
   * The number of samples omitted because no format can express them: values that are not finite.
   */
  readonly left: number;
}

/** The limit of list requests: no list is longer. */
const kAll = 1_000_000_000;

/** The metrics at the time of the call. */
export async function metricsOf(
  source: ExportSource,
  range: ExportRange,
): Promise<readonly ExportedMetric[]> {
  const filter = { prefix: range.prefix, labels: range.labels, limit: kAll };
  const health = await source.metricsHealth(filter);
  return exportedMetrics(await source.findMetrics(filter), health);
}

/** Yields some samples of a series at a time: at most one piece of an answer. */
export async function* sampleRuns(
  source: ExportSource,
  range: ExportRange,
  metrics: readonly ExportedMetric[],
): AsyncGenerator<SampleRun> {
  const { labels, start, end } = range;
  for (const metric of metrics) {
    for (const series of await source.findSeries({ metric: metric.name, labels, limit: kAll })) {
      const query = { series_id: series.series_id, start, end };
      for await (const found of source.streamRange(query)) {
        const samples = found.filter(isFinite);
        yield { metric, series, samples, left: found.length - samples.length };
      }
    }
  }
}

function isFinite(sample: Sample): sample is ExportedSample {
  return sample.value !== null;
}
