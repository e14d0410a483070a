/**
 * A database as lines that ingest takes back: `{"metric":…,"labels":…,"ts":…,"value":…}`, every
 * timestamp in the database's unit and every double to its last bit. What is known of a metric
 * stands in the first line of it. Metrics ascend by name, series by id, samples by time, so that
 * equal databases give equal bytes.
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

/** A server, or a directory that is open for reading. */
export interface ExportSource {
  findMetrics(filter: MetricFilter): Promise<readonly MetricDescriptor[]>;
  metricsHealth(filter: HealthFilter): Promise<readonly MetricHealth[]>;
  findSeries(filter: SeriesFilter): Promise<readonly SeriesDescriptor[]>;
  streamRange(query: RangeQuery): AsyncGenerator<Sample[]>;
}

/** Which series, and which of their samples; both ends inclusive. */
export interface ExportRange {
  readonly prefix: string;
  readonly labels: Labels;
  readonly start: bigint;
  readonly end: bigint;
}

export interface ExportPiece {
  readonly text: string;
  readonly samples: number;
  /** That no line can say: values that are not finite. */
  readonly left: number;
}

/** Every list is asked for whole. */
const kAll = 1_000_000_000;

/** Text of some lines at a time; a part of what one answer brought. */
export async function* exportLines(
  source: ExportSource,
  range: ExportRange,
): AsyncGenerator<ExportPiece> {
  const filter = { prefix: range.prefix, labels: range.labels, limit: kAll };
  const health = await source.metricsHealth(filter);
  const withoutKind = new Set(
    health
      .filter(({ missing_metadata: missing }) => missing.includes('kind'))
      .map(({ metric }) => metric),
  );
  for (const metric of await source.findMetrics(filter)) {
    let head = headOf(metric, !withoutKind.has(metric.metric));
    const asked = { metric: metric.metric, labels: range.labels, limit: kAll };
    for (const series of await source.findSeries(asked)) {
      const { start, end } = range;
      const query = { series_id: series.series_id, start, end };
      for await (const samples of source.streamRange(query)) {
        const piece = printSamples(series, samples, head);
        if (piece.text !== '') head = '';
        yield piece;
      }
    }
  }
}

/** Members of a line that describe its metric. */
function headOf({ kind, unit, description }: MetricDescriptor, hasKind: boolean): string {
  const members = { ...(hasKind ? { kind } : {}), unit, description };
  return Object.entries(members)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `,"${name}":${JSON.stringify(text)}`)
    .join('');
}

function printSamples(
  { metric, labels }: SeriesDescriptor,
  samples: readonly Sample[],
  head: string,
): ExportPiece {
  const before = `{"metric":${JSON.stringify(metric)},"labels":${JSON.stringify(labels)}`;
  let text = '';
  let left = 0;
  let members = head;
  for (const { ts, value } of samples) {
    if (value === null) {
      left += 1;
      continue;
    }
    text += `${before}${members},"ts":${String(ts)},"value":${printDouble(value)}}\n`;
    members = '';
  }
  return { text, samples: samples.length - left, left };
}

/** The shortest text that is read as the same double. */
function printDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
