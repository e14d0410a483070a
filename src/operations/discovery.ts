/** Lists series, metrics and label values. The storage writes the answers. */

import { AppError } from '../common/errors/app-error.js';
import { exportedMetrics, type ExportedMetric } from '../common/model/exported-metric.js';
import { objectTexts } from '../query/seriesql/execute/json-texts.js';

import type { LabelPairs } from '../common/model/selector.js';
import type { DatabaseTime } from '../common/model/timestamp-unit.js';
import type { ByteStream, Discovery, SeriesFilter, SeriesStore } from '../storage/storage.js';

/** How several labels combine. */
export type TermOp = 'and' | 'or';

/** Absent labels match everything; an absent limit means no limit. */
interface Cut {
  readonly limit: number | undefined;
}

/** For lists by name or value: only entries after this one. */
interface TextCut extends Cut {
  readonly after?: string | undefined;
}

export interface SeriesQuestion extends Cut {
  readonly metric: string;
  readonly labels: LabelPairs | undefined;
  readonly op: TermOp;
  /** Series after this one. */
  readonly after?: bigint | undefined;
}

export interface MetricsQuestion extends TextCut {
  /** Takes precedence over `prefix`. */
  readonly metric?: string | undefined;
  readonly prefix: string | undefined;
  readonly labels: LabelPairs | undefined;
}

export interface HealthQuestion extends MetricsQuestion {
  readonly inactiveBefore: DatabaseTime | undefined;
  readonly only?: Discovery['only'] | undefined;
  /** By name if absent. */
  readonly sort?: Exclude<Discovery['order'], 'usual'> | undefined;
}

export interface LabelValuesQuestion extends TextCut {
  readonly key: string;
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  /** Labels of the counted series. */
  readonly labels?: LabelPairs | undefined;
  /** Also return the series count per value, sorted by value or by count, highest first. */
  readonly counted?: 'value' | 'series_count' | undefined;
}

const everything: SeriesFilter = { namePrefix: null, names: null, terms: [], isAny: false };

const question = {
  labelKey: '',
  valuePrefix: '',
  limit: Infinity,
  inactiveBefore: null,
} as const satisfies Partial<Discovery>;

/** The ids of series with these tags; empty if no tags are given. */
export function findSeriesIds(storage: SeriesStore, tags: LabelPairs, op: TermOp): ByteStream {
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
    ...(asked.after === undefined ? {} : { afterId: asked.after }),
  });
}

export function findMetrics(storage: SeriesStore, asked: MetricsQuestion): ByteStream {
  return storage.openDiscovery({
    answer: 'metrics',
    filter: metricsFilter(asked),
    ...question,
    ...textCut(asked),
  });
}

/** Throws `invalid_after`, as does the next function. */
export function metricsHealth(storage: SeriesStore, asked: HealthQuestion): ByteStream {
  if (asked.sort !== undefined) needNoAfter(asked, 'metrics are sorted by name');
  return storage.openDiscovery({
    answer: 'health',
    filter: metricsFilter(asked),
    ...question,
    ...textCut(asked),
    inactiveBefore: asked.inactiveBefore ?? null,
    ...(asked.only === undefined ? {} : { only: asked.only }),
    ...(asked.sort === undefined ? {} : { order: asked.sort }),
  });
}

export function labelValues(storage: SeriesStore, asked: LabelValuesQuestion): ByteStream {
  if (asked.counted === 'series_count') needNoAfter(asked, 'values are in their own order');
  const { metric, labels, counted } = asked;
  return storage.openDiscovery({
    answer: counted === undefined ? 'labelValues' : 'valueCounts',
    filter: seriesFilter({ metric, prefix: undefined, labels }),
    ...question,
    ...(counted === 'series_count' ? { order: counted } : {}),
    labelKey: asked.key,
    valuePrefix: asked.prefix ?? '',
    ...textCut(asked),
  });
}

function textCut({ limit = Infinity, after }: TextCut): Pick<Discovery, 'limit' | 'after'> {
  return { limit, ...(after === undefined ? {} : { after }) };
}

function needNoAfter({ after }: TextCut, where: string): void {
  if (after !== undefined) throw new AppError('invalid_after', `after works only where ${where}`);
}

function metricsFilter({ metric, prefix, labels }: MetricsQuestion): SeriesFilter {
  return seriesFilter({ metric, prefix, labels });
}

/** The series with these labels, of a metric or of all metrics with a prefix. */
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

/** An empty label value counts as a missing label. */
function termsOf(labels: LabelPairs | undefined): SeriesFilter['terms'] {
  return (labels ?? []).map(([key, value]) => ({
    key,
    values: [value],
    isNegated: false,
    acceptsMissing: value === '',
  }));
}

type ExportableMetrics = Parameters<typeof exportedMetrics>[0];
type MetricsHealth = Parameters<typeof exportedMetrics>[1];

/** The metrics of the matching series by name, with their descriptors. */
export async function describedMetrics(
  storage: SeriesStore,
  filter: SeriesFilter,
): Promise<readonly ExportedMetric[]> {
  const listOf = async (answer: Discovery['answer']): Promise<readonly unknown[]> => {
    const stream = storage.openDiscovery({ answer, filter, ...question });
    const found: unknown[] = [];
    try {
      for await (const text of objectTexts(stream)) found.push(JSON.parse(text));
    } finally {
      stream.close();
    }
    return found;
  };
  const health = (await listOf('health')) as MetricsHealth;
  return exportedMetrics((await listOf('metrics')) as ExportableMetrics, health);
}

/** The columns of every metric, as rows. */
export function catalogAttributes(storage: SeriesStore): ByteStream {
  return storage.openDiscovery({ answer: 'attributes', filter: everything, ...question });
}
