/** The results of functions over the samples of a window, computed plainly, for comparison. */

import type { StepFunction } from '../../src/query/promql/vectors/leaf.js';

/** In milliseconds. */
export type Sample = readonly [ts: number, value: number];

export interface Window {
  /** The samples after `from` up to `to`, without stale markers. */
  readonly samples: readonly Sample[];
  readonly from: number;
  readonly to: number;
  /** The time of evaluation. */
  readonly now: number;
  readonly args: readonly number[];
}

type Naive = (window: Window) => number | null;

function values({ samples }: Window): number[] {
  return samples.map(([, value]) => value);
}

class KeptSum {
  #sum = 0;
  #lost = 0;

  add(value: number): void {
    const [sum, next] = [this.#sum, this.#sum + value];
    const isLarger = Math.abs(sum) >= Math.abs(value);
    if (next === Infinity || next === -Infinity) this.#lost = 0;
    else this.#lost += isLarger ? sum - next + value : value - next + sum;
    this.#sum = next;
  }

  get total(): number {
    return this.#sum + this.#lost;
  }
}

function sum(list: readonly number[]): number {
  const kept = new KeptSum();
  for (const value of list) kept.add(value);
  return kept.total;
}

function mean(list: readonly number[]): number {
  const total = sum(list);
  const isEndless = !list.every(Number.isFinite);
  if (Number.isFinite(total) || isEndless) return total / list.length;
  return list.reduce((so, value, place) => so + value / (place + 1) - so / (place + 1), 0);
}

/** The mean squared distance from the mean, by compensated sums. */
function variance(list: readonly number[]): number {
  const [middle, squares] = [new KeptSum(), new KeptSum()];
  list.forEach((value, place) => {
    const distance = value - middle.total;
    middle.add(distance / (place + 1));
    squares.add(distance * (value - middle.total));
  });
  return squares.total / list.length;
}

function extrapolated(window: Window, isCounter: boolean, isRate: boolean): number | null {
  const { samples, from, to } = window;
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 2) return null;
  let delta = last[1] - first[1];
  if (isCounter) {
    samples.forEach(([, value], place) => {
      const before = samples[place - 1]?.[1];
      if (before !== undefined && value < before) delta += before;
    });
  }
  const sampled = (last[0] - first[0]) / 1000;
  const gap = sampled / (samples.length - 1);
  let toStart = (first[0] - from) / 1000;
  let toEnd = (to - last[0]) / 1000;
  const most = gap * 1.1;
  if (toStart >= most) toStart = gap / 2;
  if (isCounter && delta > 0 && first[1] >= 0) {
    toStart = Math.min(toStart, sampled * (first[1] / delta));
  }
  if (toEnd >= most) toEnd = gap / 2;
  const factor = (sampled + toStart + toEnd) / sampled;
  return delta * (isRate ? factor / ((to - from) / 1000) : factor);
}

function ofLastTwo({ samples }: Window, isRate: boolean): number | null {
  const [before, last] = [samples.at(-2), samples.at(-1)];
  if (before === undefined || last === undefined) return null;
  const isReset = isRate && last[1] < before[1];
  const delta = isReset ? last[1] : last[1] - before[1];
  return isRate ? delta / ((last[0] - before[0]) / 1000) : delta;
}

/** By least squares, with times in seconds from `origin`. */
function line({ samples }: Window, origin: number): { slope: number; at: number } | null {
  if (samples.length < 2) return null;
  const first = samples[0]?.[1] ?? NaN;
  if (samples.every(([, value]) => value === first)) {
    return Number.isFinite(first) ? { slope: 0, at: first } : { slope: NaN, at: NaN };
  }
  const count = samples.length;
  const xs = samples.map(([ts]) => (ts - origin) / 1000);
  const ys = samples.map(([, value]) => value);
  const [sumX, sumY] = [sum(xs), sum(ys)];
  const products = sum(xs.map((x, place) => x * (ys[place] ?? NaN)));
  const squares = sum(xs.map((x) => x * x));
  const slope = (products - (sumX * sumY) / count) / (squares - (sumX * sumX) / count);
  return { slope, at: sumY / count - (slope * sumX) / count };
}

function quantile(part: number, list: readonly number[]): number {
  if (Number.isNaN(part) || list.length === 0) return NaN;
  if (part < 0) return -Infinity;
  if (part > 1) return Infinity;
  const sorted = [...list].sort((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b));
  const rank = part * (sorted.length - 1);
  const lower = Math.floor(rank);
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - lower;
  return (sorted[lower] ?? NaN) * (1 - weight) + (sorted[upper] ?? NaN) * weight;
}

function extreme(window: Window, isBetter: (a: number, b: number) => boolean): Sample | undefined {
  let best = window.samples[0];
  for (const sample of window.samples) {
    if (best === undefined || isBetter(sample[1], best[1]) || Number.isNaN(best[1])) best = sample;
  }
  return best;
}

function smoothed({ samples, args }: Window): number | null {
  const [factor = NaN, trendFactor = NaN] = args;
  const list = samples.map(([, value]) => value);
  if (list.length < 2) return null;
  let [before, level] = [0, list[0] ?? NaN];
  let trend = (list[1] ?? NaN) - level;
  list.slice(1).forEach((value, place) => {
    if (place > 0) trend = trendFactor * (level - before) + (1 - trendFactor) * trend;
    before = level;
    level = factor * value + (1 - factor) * (level + trend);
  });
  return level;
}

function count({ samples }: Window, isCounted: (before: number, value: number) => boolean): number {
  let counted = 0;
  samples.forEach(([, value], place) => {
    const before = samples[place - 1]?.[1];
    if (before !== undefined && isCounted(before, value)) counted += 1;
  });
  return counted;
}

function isChange(before: number, value: number): boolean {
  return value !== before && !(Number.isNaN(value) && Number.isNaN(before));
}

/** Called only with windows that have a sample. */
export const naive: Readonly<
  Record<Exclude<StepFunction, 'last' | 'last_time' | 'samples'>, Naive>
> = {
  rate: (window) => extrapolated(window, true, true),
  increase: (window) => extrapolated(window, true, false),
  delta: (window) => extrapolated(window, false, false),
  irate: (window) => ofLastTwo(window, true),
  idelta: (window) => ofLastTwo(window, false),
  deriv: (window) => line(window, window.samples[0]?.[0] ?? 0)?.slope ?? null,
  predict_linear: (window) => {
    const found = line(window, window.now);
    return found === null ? null : found.slope * (window.args[0] ?? NaN) + found.at;
  },
  changes: (window) => count(window, isChange),
  resets: (window) => count(window, (before, value) => value < before),
  avg_over_time: (window) => mean(values(window)),
  min_over_time: (window) => extreme(window, (a, b) => a < b)?.[1] ?? null,
  max_over_time: (window) => extreme(window, (a, b) => a > b)?.[1] ?? null,
  sum_over_time: (window) => sum(values(window)),
  count_over_time: ({ samples }) => samples.length,
  last_over_time: ({ samples }) => samples.at(-1)?.[1] ?? null,
  present_over_time: () => 1,
  quantile_over_time: (window) => quantile(window.args[0] ?? NaN, values(window)),
  stddev_over_time: (window) => Math.sqrt(variance(values(window))),
  stdvar_over_time: (window) => variance(values(window)),
  mad_over_time: (window) => {
    const middle = quantile(0.5, values(window));
    return quantile(
      0.5,
      values(window).map((value) => Math.abs(value - middle)),
    );
  },
  ts_of_min_over_time: (window) => (extreme(window, (a, b) => a <= b)?.[0] ?? NaN) / 1000,
  ts_of_max_over_time: (window) => (extreme(window, (a, b) => a >= b)?.[0] ?? NaN) / 1000,
  ts_of_last_over_time: ({ samples }) => (samples.at(-1)?.[0] ?? NaN) / 1000,
  double_exponential_smoothing: smoothed,
};
