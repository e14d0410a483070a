/** Compares two windows: joins series by id and computes the change of each. */

/** A series in one window. */
export interface MeasuredSeries {
  readonly id: bigint;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: the aggregate has no value. */
  readonly value: number | null;
  readonly samples: number;
}

export interface Compared {
  readonly id: bigint;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: no samples in that window. */
  readonly now: MeasuredSeries | null;
  readonly then: MeasuredSeries | null;
  /** In percent of the baseline; null if the baseline is 0 or a value is unknown. */
  readonly change: number | null;
}

/** A change from fewer samples in either window says little. */
const kFewSamples = 5;

export function hasFew({ now, then }: Compared): boolean {
  return Math.min(now?.samples ?? 0, then?.samples ?? 0) < kFewSamples;
}

/** Sorted by the size of the change, then new and gone series. */
export function joined(
  current: readonly MeasuredSeries[],
  baseline: readonly MeasuredSeries[],
): readonly Compared[] {
  const before = new Map(baseline.map((one) => [one.id, one]));
  const now = new Set(current.map(({ id }) => id));
  const rows = [
    ...current.map((one) => compared(one, before.get(one.id) ?? null)),
    ...baseline.filter(({ id }) => !now.has(id)).map((one) => compared(null, one)),
  ];
  return rows.sort((left, right) => weight(right) - weight(left));
}

function compared(now: MeasuredSeries | null, then: MeasuredSeries | null): Compared {
  const { id = 0n, labels = {} } = now ?? then ?? {};
  return { id, labels, now, then, change: changeOf(now?.value ?? null, then?.value ?? null) };
}

/** A smaller difference of two values of size 1 is noise of adding doubles. */
const kNoise = 8 * Number.EPSILON;

/** 0 if only noise of adding doubles tells the values apart. */
export function differenceOf(now: number, then: number): number {
  const difference = now - then;
  const noise = kNoise * Math.max(Math.abs(now), Math.abs(then));
  return Number.isFinite(noise) && Math.abs(difference) <= noise ? 0 : difference;
}

/** Relative to the absolute baseline, so that its sign is that of the difference. */
export function changeOf(now: number | null, then: number | null): number | null {
  if (now === null || then === null || then === 0) return null;
  return (differenceOf(now, then) / Math.abs(then)) * 100;
}

function weight({ now, then, change }: Compared): number {
  if (change !== null) return Math.abs(change);
  return now !== null && then !== null ? -1 : -2;
}

export type Total = { readonly value: number | null; readonly samples: number };

/** The aggregate over all series of a window; null if the aggregate cannot be combined. */
export function totalOf(aggregate: string, measured: readonly MeasuredSeries[]): Total | null {
  const samples = measured.reduce((sum, one) => sum + one.samples, 0);
  const known = measured.flatMap(({ value, samples: n }) => (value === null ? [] : [{ value, n }]));
  const merge = merges[aggregate];
  if (merge === undefined) return null;
  return { value: known.length === 0 ? null : merge(known), samples };
}

interface ComparisonPart {
  readonly value: number;
  readonly n: number;
}

const sumOf = (parts: readonly ComparisonPart[]): number =>
  parts.reduce((sum, { value }) => sum + value, 0);

const merges: Readonly<Record<string, (parts: readonly ComparisonPart[]) => number>> = {
  avg: (parts) =>
    parts.reduce((sum, { value, n }) => sum + value * n, 0) /
    parts.reduce((sum, { n }) => sum + n, 0),
  sum: sumOf,
  count: sumOf,
  delta: sumOf,
  min: (parts) => parts.reduce((least, { value }) => Math.min(least, value), Infinity),
  max: (parts) => parts.reduce((most, { value }) => Math.max(most, value), -Infinity),
};

/** A smaller change is a rounding error of the aggregate, in percent. */
const kChangeLeast = 1e-6;

/** A change in percent, with a decimal, or with the one digit that tells it from none. */
export function roundedChange(change: number): number {
  if (Math.abs(change) < kChangeLeast) return 0;
  const rounded = Math.round(change * 10) / 10;
  return rounded === 0 ? Number(change.toPrecision(1)) : rounded;
}
