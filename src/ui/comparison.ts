/** Two windows side by side: series joined by their id, and the change of each. */

/** Of one series in one window. */
export interface Measured {
  readonly id: bigint;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: there is no number. */
  readonly value: number | null;
  readonly samples: number;
}

export interface Compared {
  readonly id: bigint;
  readonly labels: Readonly<Record<string, string>>;
  /** Null: it has no samples there. */
  readonly now: Measured | null;
  readonly then: Measured | null;
  /** In percent of what it was; null where that is nothing, or not known. */
  readonly change: number | null;
}

/** With fewer samples in a window, a change says little. */
const kFewSamples = 5;

export function hasFew({ now, then }: Compared): boolean {
  return Math.min(now?.samples ?? 0, then?.samples ?? 0) < kFewSamples;
}

/** The greatest change first, then new and gone series. */
export function joined(
  current: readonly Measured[],
  baseline: readonly Measured[],
): readonly Compared[] {
  const before = new Map(baseline.map((one) => [one.id, one]));
  const now = new Set(current.map(({ id }) => id));
  const rows = [
    ...current.map((one) => compared(one, before.get(one.id) ?? null)),
    ...baseline.filter(({ id }) => !now.has(id)).map((one) => compared(null, one)),
  ];
  return rows.sort((left, right) => weight(right) - weight(left));
}

function compared(now: Measured | null, then: Measured | null): Compared {
  const { id = 0n, labels = {} } = now ?? then ?? {};
  return { id, labels, now, then, change: changeOf(now?.value ?? null, then?.value ?? null) };
}

/** Of the size of what it was, so that its sign is that of the difference. */
export function changeOf(now: number | null, then: number | null): number | null {
  if (now === null || then === null || then === 0) return null;
  return ((now - then) / Math.abs(then)) * 100;
}

function weight({ now, then, change }: Compared): number {
  if (change !== null) return Math.abs(change);
  return now !== null && then !== null ? -1 : -2;
}

export type Total = { readonly value: number | null; readonly samples: number };

/** All series of a window together; null where an aggregate of them means nothing. */
export function totalOf(aggregate: string, measured: readonly Measured[]): Total | null {
  const samples = measured.reduce((sum, one) => sum + one.samples, 0);
  const known = measured.flatMap(({ value, samples: n }) => (value === null ? [] : [{ value, n }]));
  const merge = merges[aggregate];
  if (merge === undefined) return null;
  return { value: known.length === 0 ? null : merge(known), samples };
}

interface Part {
  readonly value: number;
  readonly n: number;
}

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { value }) => sum + value, 0);

const merges: Readonly<Record<string, (parts: readonly Part[]) => number>> = {
  avg: (parts) =>
    parts.reduce((sum, { value, n }) => sum + value * n, 0) /
    parts.reduce((sum, { n }) => sum + n, 0),
  sum: sumOf,
  count: sumOf,
  delta: sumOf,
  min: (parts) => parts.reduce((least, { value }) => Math.min(least, value), Infinity),
  max: (parts) => parts.reduce((most, { value }) => Math.max(most, value), -Infinity),
};
