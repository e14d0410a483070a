/** Classic histograms: what cumulative counts below bounds say of what was observed. */

export interface HistogramBucket {
  readonly bound: number;
  count: number;
}

/** Ascending, counts of one bound added up; null where nothing says how many there are in all. */
function completed(buckets: readonly HistogramBucket[]): HistogramBucket[] | null {
  const sorted = [...buckets].sort((a, b) => (a.bound < b.bound ? -1 : a.bound > b.bound ? 1 : 0));
  if (sorted.at(-1)?.bound !== Infinity) return null;
  const merged: HistogramBucket[] = [];
  for (const { bound, count } of sorted) {
    const last = merged.at(-1);
    if (last?.bound === bound) last.count += count;
    else merged.push({ bound, count });
  }
  return merged;
}

/** Counts that differ by less, in parts of themselves, are taken for equal. */
const kSmallDelta = 1e-12;

function isAlmostEqual(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  const [sum, difference] = [Math.abs(a) + Math.abs(b), Math.abs(a - b)];
  const smallest = 2 ** -1022;
  if (a === 0 || b === 0 || sum < smallest) return difference < kSmallDelta * smallest;
  return difference / Math.min(sum, Number.MAX_VALUE) < kSmallDelta;
}

/** Counts that fall are raised; says whether any did by more than sums lose. */
function makeMonotonic(buckets: readonly HistogramBucket[]): boolean {
  let isForced = false;
  let before = buckets[0]?.count ?? NaN;
  for (const bucket of buckets.slice(1)) {
    if (bucket.count === before) continue;
    if (isAlmostEqual(before, bucket.count)) {
      bucket.count = before;
    } else if (bucket.count < before) {
      bucket.count = before;
      isForced = true;
    } else {
      before = bucket.count;
    }
  }
  return isForced;
}

interface BucketQuantile {
  readonly value: number;
  readonly isForced: boolean;
}

/** Observations lie evenly between bounds, the first of which is 0 where the next is above. */
export function bucketQuantile(
  quantile: number,
  buckets: readonly HistogramBucket[],
): BucketQuantile {
  const simple = outside(quantile);
  const merged = simple === null ? completed(buckets) : null;
  if (simple !== null || merged === null) return { value: simple ?? NaN, isForced: false };
  const isForced = makeMonotonic(merged);
  const all = merged.at(-1)?.count ?? 0;
  if (merged.length < 2 || all === 0) return { value: NaN, isForced: false };
  return { value: interpolated(merged, quantile * all), isForced };
}

function outside(quantile: number): number | null {
  if (Number.isNaN(quantile)) return NaN;
  if (quantile < 0) return -Infinity;
  return quantile > 1 ? Infinity : null;
}

function interpolated(buckets: readonly HistogramBucket[], rank: number): number {
  const last = buckets.length - 1;
  const found = buckets.findIndex(({ count }, place) => place === last || count >= rank);
  if (found === last) return buckets[last - 1]?.bound ?? NaN;
  const { bound, count } = buckets[found] ?? { bound: NaN, count: NaN };
  if (found === 0 && bound <= 0) return bound;
  const before = buckets[found - 1] ?? { bound: 0, count: 0 };
  return before.bound + (bound - before.bound) * ((rank - before.count) / (count - before.count));
}

/** Which part of the observations lies between two values. */
export function bucketFraction(
  lower: number,
  upper: number,
  buckets: readonly HistogramBucket[],
): number {
  const merged = completed(buckets);
  const all = merged?.at(-1)?.count ?? 0;
  if (merged === null || all === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return NaN;
  if (lower >= upper) return 0;
  return (Math.min(rankOf(merged, upper), all) - Math.min(rankOf(merged, lower), all)) / all;
}

/** How many observations lie below. */
function rankOf(buckets: readonly HistogramBucket[], value: number): number {
  let rank = 0;
  for (const [place, { bound, count }] of buckets.entries()) {
    const from = buckets[place - 1]?.bound ?? (bound > 0 ? 0 : -Infinity);
    if (from >= value) return rank;
    if (bound > value) return rank + ((count - rank) * (value - from)) / (bound - from);
    rank = count;
  }
  return Infinity;
}
