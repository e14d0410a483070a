/** Requests the aggregates of a metric in two windows. */

import { joined, type Compared, type MeasuredSeries } from '../comparison.js';
import { seriesMeasured } from '../statements.js';
import { ask } from './server.js';

import type {
  Aggregate,
  CompareResult,
  MetricDescriptor,
  QueryValue,
} from '../../client/client.js';

export interface CompareStretch {
  readonly start: bigint;
  readonly end: bigint;
}

interface Question {
  readonly descriptor: MetricDescriptor;
  readonly filter: string;
  readonly aggregate: Aggregate;
  readonly now: CompareStretch;
  readonly then: CompareStretch;
}

export interface ComparedRows {
  readonly rows: readonly Compared[];
  /** The server's own comparison if there is only one series. */
  readonly one: CompareResult | null;
  readonly now: readonly MeasuredSeries[];
  readonly then: readonly MeasuredSeries[];
  /** True if the metric has more series than were measured. */
  readonly isCut: boolean;
}

export const seriesMax = 10_000;

/** The aggregate as a SeriesQL expression; a counter's reset is no loss. */
function expressionOf(aggregate: Aggregate, kind: string): string {
  if (aggregate === 'count') return 'count(*)';
  if (aggregate === 'delta') return kind === 'counter' ? 'increase(value)' : 'delta(value)';
  return `${aggregate}(value)`;
}

export async function findMetric(
  name: string,
  signal: AbortSignal,
): Promise<readonly MetricDescriptor[]> {
  const found = await ask((client) => client.findMetrics({ prefix: name, limit: 1 }, { signal }));
  return found.filter(({ metric }) => metric === name);
}

export async function compareWindows(
  question: Question,
  signal: AbortSignal,
): Promise<ComparedRows> {
  const [now, then] = await Promise.all([
    measure(question, question.now, signal),
    measure(question, question.then, signal),
  ]);
  const rows = joined(now, then);
  const [row] = rows;
  const one =
    rows.length === 1 && row !== undefined ? await askOne(question, row.id, signal) : null;
  const isCut = Math.max(now.length, then.length) > seriesMax;
  return { rows: rows.slice(0, seriesMax), one, now, then, isCut };
}

async function measure(
  { descriptor, filter, aggregate }: Question,
  { start, end }: CompareStretch,
  signal: AbortSignal,
): Promise<readonly MeasuredSeries[]> {
  const { metric, label_keys: keys, kind } = descriptor;
  const expression = expressionOf(aggregate, kind);
  const limit = seriesMax + 1;
  const asked = { metric, filter, keys, aggregate: expression, start, end, limit };
  const { rows } = await ask((client) => client.seriesql(seriesMeasured(asked), { signal }));
  return rows.map((row) => measuredOf(row, keys));
}

function measuredOf(row: readonly QueryValue[], keys: readonly string[]): MeasuredSeries {
  const [id, ...others] = row;
  const [value, samples] = others.slice(keys.length);
  const labels = keys.flatMap((key, at) => {
    const text = others[at];
    return typeof text === 'string' ? [[key, text] as const] : [];
  });
  return {
    ...{ id: id as bigint, labels: Object.fromEntries(labels) },
    value: value === null || value === undefined ? null : Number(value),
    samples: Number(samples),
  };
}

function askOne(
  { aggregate, now, then }: Question,
  id: bigint,
  signal: AbortSignal,
): Promise<CompareResult> {
  const windows = { ...now, baseline_start: then.start, baseline_end: then.end };
  return ask((client) => client.compare({ series_id: id, aggregate, ...windows }, { signal }));
}
