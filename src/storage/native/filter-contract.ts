/** Selects series; part of `contract.ts`. */

import type { NativeName } from './names.js';

/**
 * Many texts in UTF-8, one after another: text i ends before byte ends[i], the last where the bytes
 * end. Lent. As quickly taken over as a copy of the bytes, however many there are.
 */
export interface NativePackedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

type NativeTexts = readonly string[] | NativePackedTexts;

/** The condition on a value under `key`; details: native/index/selection/series_filter.h. */
export interface NativeLabelTerm {
  readonly key: string;
  readonly values: NativeTexts;
  /** Any value except these. */
  readonly isNegated: boolean;
  /** Series without the key match too. */
  readonly acceptsMissing: boolean;
}

/** Selects series. All terms must hold, or one with `isAny`; no terms match everything. */
export interface NativeSeriesFilter {
  /** Name prefix; takes precedence over `names`. */
  readonly namePrefix: string | null;
  /** One of these names; null = any. */
  readonly names: NativeTexts | null;
  readonly terms: readonly NativeLabelTerm[];
  readonly isAny: boolean;
  /** Labels that the series must have, flat key, value, …, whatever `isAny` says; absent: none. */
  readonly required?: readonly string[];
  /** One of these ids, whatever the terms; absent = any. */
  readonly ids?: BigUint64Array;
}

/** The wanted result. */
export interface NativeDiscovery {
  readonly answer: NativeName<'discoveries'>;
  readonly filter: NativeSeriesFilter;
  /** The key whose values are listed or counted, and their prefix; for these answers only. */
  readonly labelKey: string;
  readonly valuePrefix: string;
  /** Maximum rows; Infinity = all. */
  readonly limit: number;
  /** A series whose last ts is below counts as inactive; for `health` only. */
  readonly inactiveBefore: bigint | null;
  /** `all` and `usual` if absent. For `health` only, but `valueCounts` can be by `series_count`. */
  readonly only?: NativeName<'discoveryFilters'>;
  readonly order?: NativeName<'discoveryOrders'>;
  /** In the usual order, only entries after this name or value, or after this series id. */
  readonly after?: string;
  readonly afterId?: bigint;
}

/** Ends inclusive. */
interface NativeRangedFilter {
  readonly filter: NativeSeriesFilter;
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * What queries of Prometheus' remote_read ask for, ends inclusive, series by their labels. Answered
 * by a message prometheus.ReadResponse in one block of snappy, with a result for each query, or by
 * frames with a prometheus.ChunkedReadResponse each.
 */
export interface NativeRemoteRead {
  readonly answer: 'remoteRead';
  readonly queries: readonly NativeRangedFilter[];
  /** As frames; a piece ends at a frame boundary. */
  readonly isStreamed: boolean;
  /** Names by Prometheus' escaping by underscores. */
  readonly isEscaped: boolean;
  /** Of all queries together. */
  readonly seriesMax: number;
  /** Limit of unstreamed answers, which also have a fixed one. */
  readonly samplesMax: number;
}

/**
 * Labels of the series that one of the queries selects and whose first to last sample overlap its
 * range, in an answer of Prometheus' API: sets by their labels, names and values sorted, then cut,
 * which a warning tells. There the metric is `__name__`, and a label without a value is none.
 */
export interface NativeLabelQuestion {
  readonly answer: 'labels';
  readonly of: NativeName<'labelAnswers'>;
  /** The label whose values are listed. */
  readonly key: string;
  readonly queries: readonly NativeRangedFilter[];
  /** Maximum entries; Infinity = all. */
  readonly limit: number;
  /** More sets are refused. */
  readonly seriesMax: number;
}
