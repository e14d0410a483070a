/** A histogram of durations with fixed bounds. */

/** Upper bounds of the buckets, in seconds. One further bucket counts longer durations. */
export const latencyBounds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export interface LatencyFigures {
  /** Counts by bucket. */
  readonly counts: Float64Array;
  /** In seconds. */
  readonly sum: number;
}

export class Latency implements LatencyFigures {
  readonly counts = new Float64Array(latencyBounds.length + 1);
  sum = 0;

  record(seconds: number): void {
    let bucket = 0;
    while (seconds > (latencyBounds[bucket] ?? Infinity)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }

  /** Adds figures that another thread measured. */
  add({ counts, sum }: LatencyFigures): void {
    counts.forEach((count, bucket) => {
      this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    });
    this.sum += sum;
  }
}
