/**
 * Prometheus' API of series and metadata, without reading samples. As in Prometheus, the metric is
 * the label `__name__`, and an empty label does not exist.
 */

import { isDescribed, type ExportedMetric } from '../common/model/exported-metric.js';
import { rangeOfMilliseconds, type MillisecondRange } from '../common/model/time-range.js';
import {
  databaseTime,
  toMilliseconds,
  type TimestampUnit,
} from '../common/model/timestamp-unit.js';
import { objectTexts } from '../query/seriesql/execute/json-texts.js';
import { describedMetrics, metricsHealth } from './discovery.js';
import { resolveMatchers } from './series-matchers.js';

import type { SeriesMatcher } from '../common/model/series-matcher.js';
import type { Guard } from '../query/limits/guard.js';
import type { ByteStream, LabelQuestion, SeriesStore } from '../storage/storage.js';

export interface LabelsQuestion {
  readonly of: LabelQuestion['of'];
  /** The label whose values are listed. */
  readonly key: string;
  /** A series must match at least one of these; empty means all series. */
  readonly selectors: readonly (readonly SeriesMatcher[])[];
  /** A series counts if the range of its samples overlaps this range. */
  readonly range: MillisecondRange;
  /** Infinity: all. */
  readonly limit: number;
}

interface DiscoveryOf {
  readonly store: SeriesStore;
  readonly unit: TimestampUnit;
  readonly guard: Guard;
}

/**
 * The complete answer. Throws `validation_failed` for a bad pattern, and errors that end a query.
 */
export async function openLabels(
  { store, unit, guard }: DiscoveryOf,
  { of, key, selectors, range, limit }: LabelsQuestion,
): Promise<ByteStream> {
  const times = rangeOfMilliseconds(range, unit);
  const wanted = selectors.length === 0 ? [[]] : selectors;
  const queries = [];
  for (const matchers of times.start > times.end ? [] : wanted) {
    queries.push({ filter: await resolveMatchers(store, matchers, guard), ...times });
  }
  return store.openLabels({ of, key, queries, limit, seriesMax: guard.limits.maxSeries });
}

export interface MetadataQuestion {
  /** Absent: all. */
  readonly metric: string | undefined;
  /** Maximum metrics; Infinity: all. */
  readonly limit: number;
}

interface Metadata {
  readonly type: string;
  readonly help: string;
  readonly unit: string;
}

/**
 * Builds metadata answers one at a time, since their objects fill the heap before they become text.
 */
export class MetadataReader {
  readonly #store: SeriesStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: SeriesStore) {
    this.#store = store;
  }

  /** The complete answer, in turn. A request that waited too long is skipped. */
  open(question: MetadataQuestion, guard: Guard): Promise<ByteStream> {
    const made = this.#last.then(() => {
      guard.requireRunning();
      return openMetadata(this.#store, question);
    });
    this.#last = made.catch(() => undefined);
    return guard.during(made, () => undefined);
  }
}

/** The complete answer: metrics with a known kind, unit or description, and histograms. */
async function openMetadata(
  store: SeriesStore,
  { metric, limit }: MetadataQuestion,
): Promise<ByteStream> {
  const names = metric === undefined ? null : [metric, ...histogramParts(metric)];
  const filter = { namePrefix: null, names, terms: [], isAny: false };
  const metrics = (await describedMetrics(store, filter)).filter(isDescribed);
  const told = new Map<string, Metadata>();
  const byName = new Map(metrics.map((one) => [one.name, one]));
  for (const one of metrics) {
    const histogram = histogramOf(one, byName);
    if (histogram !== null) told.set(histogram.name, metadataOf(histogram));
    if (!told.has(one.name)) told.set(one.name, metadataOf(one));
  }
  const wanted = [...told].filter(([name]) => metric === undefined || name === metric);
  const data = Object.fromEntries(wanted.slice(0, limit).map(([name, one]) => [name, [one]]));
  return pieceOf(Buffer.from(JSON.stringify({ status: 'success', data })));
}

function metadataOf({ kind, unit, description }: ExportedMetric): Metadata {
  return { type: kind ?? 'unknown', help: description ?? '', unit: unit ?? '' };
}

const kBucketSuffix = '_bucket';

function histogramParts(family: string): readonly string[] {
  return [kBucketSuffix, '_sum', '_count'].map((suffix) => family + suffix);
}

/** A classic histogram has no series of its own name, but Prometheus lists it under that name. */
function histogramOf(
  { name, kind, description }: ExportedMetric,
  byName: ReadonlyMap<string, ExportedMetric>,
): ExportedMetric | null {
  if (kind !== 'counter' || !name.endsWith(kBucketSuffix)) return null;
  const family = name.slice(0, -kBucketSuffix.length);
  const unit = byName.get(`${family}_sum`)?.unit ?? null;
  return { name: family, labelKeys: [], kind: 'histogram', unit, description };
}

export interface TsdbStatusQuestion {
  /** Maximum metrics. */
  readonly limit: number;
}

interface CountedMetric {
  readonly metric: string;
  readonly series_count: number;
}

/** Times beyond 2^53 lose digits as JavaScript's numbers, so they are read from the text. */
const times = /"first_ts":(-?\d+|null),"last_ts":(-?\d+|null)/;

/**
 * The complete answer: how many series each metric has. Metrics are walked, not series, because the
 * index counts the series of each name. Throws errors that end a query.
 */
export async function openTsdbStatus(
  { store, unit, guard }: DiscoveryOf,
  { limit }: TsdbStatusQuestion,
): Promise<ByteStream> {
  const asked = { prefix: undefined, labels: undefined, inactiveBefore: undefined } as const;
  const stream = metricsHealth(store, { ...asked, sort: 'series_count', limit: undefined });
  const seriesCountByMetricName: { name: string; value: number }[] = [];
  let numSeries = 0;
  let first: bigint | null = null;
  let last: bigint | null = null;
  try {
    for await (const text of objectTexts(stream)) {
      guard.requireRunning();
      const { metric: name, series_count: value } = JSON.parse(text) as CountedMetric;
      const [, from = 'null', to = 'null'] = times.exec(text) ?? [];
      numSeries += value;
      if (from !== 'null' && (first === null || BigInt(from) < first)) first = BigInt(from);
      if (to !== 'null' && (last === null || BigInt(to) > last)) last = BigInt(to);
      if (seriesCountByMetricName.length < limit) seriesCountByMetricName.push({ name, value });
    }
  } finally {
    stream.close();
  }
  const msOf = (ts: bigint | null): number =>
    ts === null ? 0 : Number(toMilliseconds(databaseTime(ts), unit));
  const data = {
    headStats: {
      ...{ numSeries, numLabelPairs: 0, chunkCount: 0 },
      ...{ minTime: msOf(first), maxTime: msOf(last) },
    },
    seriesCountByMetricName,
    labelValueCountByLabelName: [],
    memoryInBytesByLabelName: [],
    seriesCountByLabelValuePair: [],
  };
  return pieceOf(Buffer.from(JSON.stringify({ status: 'success', data })));
}

function pieceOf(piece: Uint8Array): ByteStream {
  const rest = [piece];
  return { next: () => Promise.resolve(rest.pop() ?? null), close: () => undefined };
}
