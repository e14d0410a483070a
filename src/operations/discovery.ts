/** What series, metrics and label values there are. The answers are written by the storage. */

import type { LabelPairs } from '../model/selector.js';
import type { ByteStream, Discovery, SeriesFilter, SeriesStore } from '../storage/storage.js';

/** How several labels combine. */
export type LabelOp = 'and' | 'or';

/** Absent labels match everything, an absent limit is none. */
interface Cut {
  readonly limit: number | undefined;
}

export interface SeriesQuestion extends Cut {
  readonly metric: string;
  readonly labels: LabelPairs | undefined;
  readonly op: LabelOp;
}

export interface MetricsQuestion extends Cut {
  /** Counts before `prefix`. */
  readonly metric?: string | undefined;
  readonly prefix: string | undefined;
  readonly labels: LabelPairs | undefined;
}

export interface HealthQuestion extends MetricsQuestion {
  readonly inactiveBefore: bigint | undefined;
}

export interface LabelValuesQuestion extends Cut {
  readonly key: string;
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
}

const everything: SeriesFilter = { namePrefix: null, names: null, terms: [], isAny: false };

const question = {
  labelKey: '',
  valuePrefix: '',
  limit: Infinity,
  inactiveBefore: null,
} as const satisfies Partial<Discovery>;

/** The ids of series with these tags; none when there are no tags. */
export function findSeriesIds(storage: SeriesStore, tags: LabelPairs, op: LabelOp): ByteStream {
  const filter = { ...everything, terms: termsOf(tags), isAny: op === 'or' };
  const limit = tags.length === 0 ? 0 : Infinity;
  return storage.openDiscovery({ answer: 'seriesIds', filter, ...question, limit });
}

export function findSeries(storage: SeriesStore, asked: SeriesQuestion): ByteStream {
  return storage.openDiscovery({
    answer: 'series',
    filter: {
      ...everything,
      names: [asked.metric],
      terms: termsOf(asked.labels),
      isAny: asked.op === 'or',
    },
    ...question,
    limit: asked.limit ?? Infinity,
  });
}

export function findMetrics(storage: SeriesStore, asked: MetricsQuestion): ByteStream {
  return storage.openDiscovery({
    answer: 'metrics',
    filter: metricsFilter(asked),
    ...question,
    limit: asked.limit ?? Infinity,
  });
}

export function metricsHealth(storage: SeriesStore, asked: HealthQuestion): ByteStream {
  return storage.openDiscovery({
    answer: 'health',
    filter: metricsFilter(asked),
    ...question,
    limit: asked.limit ?? Infinity,
    inactiveBefore: asked.inactiveBefore ?? null,
  });
}

export function labelValues(storage: SeriesStore, asked: LabelValuesQuestion): ByteStream {
  return storage.openDiscovery({
    answer: 'labelValues',
    filter: { ...everything, names: asked.metric === undefined ? null : [asked.metric] },
    ...question,
    labelKey: asked.key,
    valuePrefix: asked.prefix ?? '',
    limit: asked.limit ?? Infinity,
  });
}

function metricsFilter({ metric, prefix, labels }: MetricsQuestion): SeriesFilter {
  return seriesFilter({ metric, prefix, labels });
}

/** Series of a metric, or of all whose names begin so, that have these labels. */
export function seriesFilter({
  metric,
  prefix,
  labels,
}: {
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  readonly labels: LabelPairs | undefined;
}): SeriesFilter {
  const names = metric === undefined ? null : [metric];
  const namePrefix = metric === undefined ? (prefix ?? null) : null;
  return { ...everything, namePrefix, names, terms: termsOf(labels) };
}

function termsOf(labels: LabelPairs | undefined): SeriesFilter['terms'] {
  return (labels ?? []).map(([key, value]) => ({
    key,
    values: [value],
    isNegated: false,
    acceptsMissing: false,
  }));
}

/** The columns of every metric, as rows. */
export function catalogAttributes(storage: SeriesStore): ByteStream {
  return storage.openDiscovery({ answer: 'attributes', filter: everything, ...question });
}
