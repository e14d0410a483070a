/** Sparklines of a list of metrics: one request for all visible ones. */

import { ask } from './server.js';
import { perSecond, type TimeUnit } from '../zone.js';

import type { MetricDescriptor, PromqlAnswer } from '../../client/client.js';
import type { TimeStretch } from '../chart/time-scale.js';

/** Values at equal distances; null: no value. */
export type Spark = readonly (number | null)[];

const kSteps = 48;
/** Limits of series, per metric and per request, since reading more would take too many samples. */
export const sparkSeriesMax = 500;
const kAllSeriesMax = 2_000;

/** The metrics that get a sparkline, as many as one request may read. */
export function sparked(
  metrics: readonly MetricDescriptor[],
  window: TimeStretch,
): readonly MetricDescriptor[] {
  let room = kAllSeriesMax;
  return metrics.filter(({ series_count: count, first_ts: first, last_ts: last }) => {
    const isInside = first !== null && last !== null && last >= window.start && first <= window.end;
    if (!isInside || count > sparkSeriesMax || count > room) return false;
    room -= count;
    return true;
  });
}

interface SparkQuestion {
  readonly metrics: readonly MetricDescriptor[];
  readonly window: TimeStretch;
  readonly unit: TimeUnit;
}

/** The mean of each metric's series; for a counter, its increase per step. */
export async function loadSparks(
  { metrics, window, unit }: SparkQuestion,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Spark>> {
  const per = Number(perSecond(unit));
  const [start, end] = [Number(window.start) / per, Number(window.end) / per];
  const step = Math.max(0.001, Math.round(((end - start) / kSteps) * 1000) / 1000);
  const counters = new Set(metrics.flatMap((one) => (one.kind === 'counter' ? one.metric : [])));
  const text = expressionFor(metrics, step);
  const times = {
    start: (end - kSteps * step).toFixed(3),
    end: end.toFixed(3),
    step: String(step),
  };
  const answer = await ask((client) => client.promql(text, times, { signal }));
  return sparksIn(answer, { endSeconds: end, step, counters });
}

/**
 * Reads all metrics with one selector, and tells them apart by name. An `or` ignores names, so it
 * would drop all but the first.
 */
function expressionFor(metrics: readonly MetricDescriptor[], step: number): string {
  const names = metrics.map(({ metric }) => literal(metric)).join('|');
  const selector = `{__name__=~${JSON.stringify(names)}}`;
  return `avg by (__name__) (last_over_time(${selector}[${Math.round(step * 1000)}ms]))`;
}

/** Escapes the characters of regular expressions. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

interface SparkSteps {
  readonly endSeconds: number;
  readonly step: number;
  readonly counters: ReadonlySet<string>;
}

function sparksIn(answer: PromqlAnswer, steps: SparkSteps): ReadonlyMap<string, Spark> {
  if (answer.resultType !== 'matrix') return new Map();
  return new Map(
    answer.result.map(({ metric, values }) => {
      const name = metric['__name__'] ?? '';
      const spark: (number | null)[] = Array.from({ length: kSteps + 1 }, () => null);
      for (const [seconds, value] of values) {
        const at = kSteps - Math.round((steps.endSeconds - seconds) / steps.step);
        if (at >= 0 && at <= kSteps && Number.isFinite(value)) spark[at] = value;
      }
      return [name, steps.counters.has(name) ? grown(spark) : spark] as const;
    }),
  );
}

/** After a counter reset the growth is unknown. */
const grown = (spark: Spark): Spark =>
  spark.slice(1).map((value, at) => {
    const before = spark[at] ?? null;
    return value === null || before === null || value < before ? null : value - before;
  });
