/** What an engine tells of itself; part of the contract. */

/** What an engine tells of itself, as of one call. Given. */
export interface NativeStats {
  /** Counters and gauges; names as in the specification's `runtime` where it has them. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Since the start: the upper bounds of the buckets in seconds, then for each stage its counts and
   * the sum of its seconds.
   */
  readonly stages: Float64Array;
  /** For each size class of the pool the members of `nativePoolFigures`; null without a pool. */
  readonly pool: Float64Array | null;
  /** Why the database is degraded, or an empty list. Sentences. */
  readonly degraded: readonly string[];
  /** A word for each of them; there are few different ones. */
  readonly degradedKinds: readonly string[];
}

/** Buckets of a stage's histogram; the bound of the last is infinite. */
export const kStageBuckets = 53;

/** What is told of a size class of the pool, in this order. */
export const nativePoolFigures = [
  'size',
  'allocations',
  'in_use',
  'high_water',
  'refills',
  'slabs',
] as const;

/** What a short answer tells of itself: its rows, and what NativeQueryStats has. */
export const nativeShortFigures = [
  ...(['rowCount', 'seriesSelected', 'labelCount', 'selectMs', 'seriesScanned'] as const),
  ...(['rowsScanned', 'chunksScanned', 'chunksSkipped', 'bytesRead'] as const),
] as const;

/** What a query read so far. */
export interface NativeQueryStats {
  readonly seriesSelected: number;
  /** Of the lone series that was selected, else 0. */
  readonly labelCount: number;
  /** What the selection took, on whatever thread. */
  readonly selectMs: number;
  /** Series of which anything was looked at. */
  readonly seriesScanned: number;
  /** Samples decoded, in range. */
  readonly rowsScanned: number;
  /** Chunks decoded. */
  readonly chunksScanned: number;
  /** Other chunks of those series. */
  readonly chunksSkipped: number;
  /** Of decoded chunks, as compressed. */
  readonly bytesRead: number;
}
