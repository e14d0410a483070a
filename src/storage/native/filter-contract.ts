/** Selection of series; part of `contract.ts`. */

import type { DatabaseTime } from '../../common/model/timestamp-unit.js';
import type { NativeName } from './names.js';

/**
 * Many texts in UTF-8, one after another. Text i ends before byte ends[i], the last at the end of
 * the bytes. Lent. Passing them costs one copy of the bytes, regardless of their number.
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

/** Selects series. All terms must hold, or one of them with `isAny`; no terms match everything. */
export interface NativeSeriesFilter {
  /** Name prefix; takes precedence over `names`. */
  readonly namePrefix: string | null;
  /** One of these names; null = any. */
  readonly names: NativeTexts | null;
  readonly terms: readonly NativeLabelTerm[];
  readonly isAny: boolean;
  /** Labels that the series must have, regardless of `isAny`; flat key, value, …; absent: none. */
  readonly required?: readonly string[];
  /** One of these ids, in addition to the terms; absent = any. */
  readonly ids?: BigUint64Array;
}

/** A question about the index. */
export interface NativeDiscovery {
  readonly answer: NativeName<'discoveries'>;
  readonly filter: NativeSeriesFilter;
  /** The key whose values are listed or counted, and their prefix; for these answers only. */
  readonly labelKey: string;
  readonly valuePrefix: string;
  /** Maximum rows; Infinity = all. */
  readonly limit: number;
  /** A series whose last ts is below counts as inactive; for `health` only. */
  readonly inactiveBefore: DatabaseTime | null;
  /**
   * Default: `all` and `usual`. Only for `health`; `valueCounts` may also be ordered by
   * `series_count`.
   */
  readonly only?: NativeName<'discoveryFilters'>;
  readonly order?: NativeName<'discoveryOrders'>;
  /** In the usual order, only entries after this name or value, or after this series id. */
  readonly after?: string;
  readonly afterId?: bigint;
}

/** A filter with a time range; both ends inclusive. */
interface NativeRangedFilter {
  readonly filter: NativeSeriesFilter;
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
}

/**
 * The queries of Prometheus' remote_read: both ends inclusive, series by their labels. The answer
 * is a message prometheus.ReadResponse in one snappy block, with one result per query. If streamed,
 * it consists of frames with one prometheus.ChunkedReadResponse each.
 */
export interface NativeRemoteRead {
  readonly answer: 'remoteRead';
  readonly queries: readonly NativeRangedFilter[];
  /** Answers in frames; a piece ends at a frame boundary. */
  readonly isStreamed: boolean;
  /** Escapes names with underscores, as Prometheus does. */
  readonly isEscaped: boolean;
  /** The most series of all queries together. */
  readonly seriesMax: number;
  /** The most samples of an unstreamed answer, which also has a fixed limit. */
  readonly samplesMax: number;
}

/**
 * Labels of series, as an answer of Prometheus' API. A series counts if a query selects it and its
 * first to last sample overlap the query's range. Sets, names and values are sorted, then cut; a
 * warning reports the cut. The metric is the label `__name__`; a label without a value is absent.
 */
export interface NativeLabelQuestion {
  readonly answer: 'labels';
  readonly of: NativeName<'labelAnswers'>;
  /** The label whose values are listed. */
  readonly key: string;
  readonly queries: readonly NativeRangedFilter[];
  /** Maximum entries; Infinity = all. */
  readonly limit: number;
  /** Refuses more label sets than this. */
  readonly seriesMax: number;
}
