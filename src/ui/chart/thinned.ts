/** Merges the samples of a line into buckets if several of them share a pixel. */

import { placeFrom, type ChartLine } from './lines.js';

interface ThinnedLook {
  /** The time that every x is relative to. */
  readonly origin: bigint;
  /** The visible range, in ticks from the origin. */
  readonly span: readonly [number, number];
  /** The width of the plot in pixels. */
  readonly columns: number;
  /** The width of a bucket. */
  readonly ticks: number;
}

/** The line itself if each sample has its own pixel. Buckets start at multiples of `ticks`. */
export function thinned(
  line: ChartLine,
  { origin, span: [from, to], columns, ticks }: ThinnedLook,
): ChartLine {
  const { xs } = line;
  if (placeFrom(xs, to) - placeFrom(xs, from) <= columns) return line;
  const offset = Number(origin % BigInt(ticks));
  const startOf = (x: number): number => Math.floor((x + offset) / ticks) * ticks - offset;
  return { ...folded(line, startOf), gapTicks: Math.max(line.gapTicks, ticks * 1.5) };
}

/** Merges neighbours whose buckets start at the same x. */
export function folded(
  line: Omit<ChartLine, 'gapTicks'>,
  startOf: (x: number) => number,
): Omit<ChartLine, 'gapTicks'> {
  const { xs, last } = line;
  const buckets = new ThinnedBuckets(xs.length);
  let before: number | null = null;
  for (let at = 0; at < xs.length; at += 1) {
    const start = startOf(xs[at] ?? NaN);
    if (start !== before) buckets.begin(start);
    before = start;
    buckets.add(line, at, last[at] ?? NaN);
  }
  return buckets.finish(line.id);
}

class ThinnedBuckets {
  readonly #xs: Float64Array;
  readonly #mean: Float64Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #last: Float64Array;
  #size = 0;
  #count = 0;

  constructor(most: number) {
    const column = (): Float64Array => new Float64Array(most);
    this.#xs = column();
    this.#mean = column();
    this.#min = column();
    this.#max = column();
    this.#last = column();
  }

  begin(x: number): void {
    this.#xs[this.#size] = x;
    for (const column of [this.#mean, this.#min, this.#max, this.#last]) column[this.#size] = NaN;
    this.#size += 1;
    this.#count = 0;
  }

  /** Skips NaN. */
  add({ mean, min, max }: Omit<ChartLine, 'gapTicks'>, at: number, last: number): void {
    const value = mean[at] ?? NaN;
    if (Number.isNaN(value)) return;
    const to = this.#size - 1;
    const [low = NaN, high = NaN] = [min[at], max[at]];
    this.#count += 1;
    const isFirst = this.#count === 1;
    const before = isFirst ? 0 : (this.#mean[to] ?? 0);
    this.#mean[to] = before + (value - before) / this.#count;
    this.#min[to] = isFirst ? low : Math.min(low, this.#min[to] ?? NaN);
    this.#max[to] = isFirst ? high : Math.max(high, this.#max[to] ?? NaN);
    this.#last[to] = last;
  }

  finish(id: string): Omit<ChartLine, 'gapTicks'> {
    const cut = (column: Float64Array): Float64Array => column.slice(0, this.#size);
    return {
      ...{ id, xs: cut(this.#xs), mean: cut(this.#mean) },
      ...{ min: cut(this.#min), max: cut(this.#max), last: cut(this.#last) },
    };
  }
}
