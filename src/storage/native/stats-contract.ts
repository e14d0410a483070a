/** Figures of an engine; part of the contract. */

/** Figures of an engine at one moment. The caller owns them. */
export interface NativeStats {
  /** Counters and gauges, under the names of the specification's `runtime` if it has them. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Since the start: the upper bounds of the buckets in seconds. Then, for each stage, its bucket
   * counts and the sum of its seconds.
   */
  readonly stages: Float64Array;
  /** The members of `nativeBlockFigures` for each block size; null unless they are counted. */
  readonly blocks: Float64Array | null;
  /** Reasons of a degraded database as sentences, or an empty list. */
  readonly degraded: readonly string[];
  /** One word per reason, from a small set. */
  readonly degradedKinds: readonly string[];
}

/** Buckets of a stage's histogram; the bound of the last is infinite. */
export const kStageBuckets = 53;

/** Figures of the small blocks of one size, in this order. */
export const nativeBlockFigures = [
  'size',
  'allocations',
  'in_use',
  'high_water',
  'refills',
  'slabs',
] as const;

/** Figures of a short answer: its rows, and the members of NativeQueryStats. */
export const nativeShortFigures = [
  ...(['rowCount', 'seriesSelected', 'labelCount', 'selectMs', 'seriesScanned'] as const),
  ...(['rowsScanned', 'chunksScanned', 'chunksSkipped', 'bytesRead'] as const),
] as const;

/** Progress of a query. */
export interface NativeQueryStats {
  readonly seriesSelected: number;
  /** The number of labels if exactly one series was selected; otherwise 0. */
  readonly labelCount: number;
  /** The time of the selection in milliseconds, on any thread. */
  readonly selectMs: number;
  /** Series with any chunk considered. */
  readonly seriesScanned: number;
  /** Samples decoded, in range. */
  readonly rowsScanned: number;
  /** Chunks decoded. */
  readonly chunksScanned: number;
  /** Skipped chunks of those series. */
  readonly chunksSkipped: number;
  /** Compressed size of decoded chunks. */
  readonly bytesRead: number;
}
