/**
 * The database in thirty lines: a map from series to a map from ts to value; the last write wins.
 */
import { type Random } from '../support/random.js';
import type { Sample } from '../support/client.js';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Point {
  readonly series: Series;
  readonly ts: bigint;
  readonly value: number;
}

export class Model {
  private readonly byKey = new Map<string, Map<bigint, number>>();

  apply(points: readonly Point[]): void {
    for (const { series, ts, value } of points) {
      const key = keyOf(series);
      const samples = this.byKey.get(key) ?? new Map<bigint, number>();
      this.byKey.set(key, samples.set(ts, value));
    }
  }

  /** Takes samples from every series of a name. Returns how many series had any before. */
  remove(name: string, start: bigint, end: bigint): number {
    let count = 0;
    for (const series of allSeries) {
      const samples = series.name === name ? this.byKey.get(keyOf(series)) : undefined;
      if (samples === undefined || samples.size === 0) continue;
      count += 1;
      for (const ts of [...samples.keys()]) {
        if (ts >= start && ts <= end) samples.delete(ts);
      }
    }
    return count;
  }

  range(series: Series, start: bigint, end: bigint): Sample[] {
    return [...(this.byKey.get(keyOf(series)) ?? [])]
      .filter(([ts]) => ts >= start && ts <= end)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([ts, value]) => ({ ts, value }));
  }

  get sampleCount(): number {
    return [...this.byKey.values()].reduce((sum, samples) => sum + samples.size, 0);
  }
}

function keyOf({ name, labels }: Series): string {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}

/**
 * Label sets that are near to each other: none, subsets, one name in several, text beyond ASCII.
 */
export const allSeries: readonly Series[] = [
  { name: 'alone', labels: {} },
  { name: 'cpu', labels: {} },
  { name: 'cpu', labels: { host: 'a' } },
  { name: 'cpu', labels: { host: 'b' } },
  { name: 'cpu', labels: { host: 'a', core: '0' } },
  { name: 'cpu', labels: { host: 'a', core: '00' } },
  { name: 'cpu.user', labels: { host: 'a' } },
  { name: 'températur', labels: { größe: 'groß', quote: '"\\', emoji: '🌡' } },
];

const specialValues: readonly number[] = [
  0,
  -0,
  1e-308,
  5e-324,
  -5e-324,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 63),
  0.1 + 0.2,
  1 / 3,
  1e21,
  1e22,
  1e23,
];
const cornerTs: readonly bigint[] = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -(2n ** 53n) - 1n,
  -1n,
  0n,
  1n,
  2n ** 53n - 1n,
  2n ** 53n + 1n,
  1_700_000_000_123_456_789n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
];

/** A seeded source of points and ranges. */
export class Source {
  private readonly random: Random;
  private readonly nextTs = new Map<Series, bigint>();

  constructor(random: Random) {
    this.random = random;
  }

  /** Some points, most of them runs in order, as a real client sends them. */
  batch(): Point[] {
    const points: Point[] = [];
    const runs = 1 + this.random.below(4);
    for (let run = 0; run < runs; run++) {
      const series = this.random.pick(allSeries);
      const value = this.valueMaker();
      const count = 1 + this.random.below(this.random.chance(0.2) ? 1_500 : 60);
      const times = this.times(series, count);
      for (const ts of times) points.push({ series, ts, value: value() });
    }
    return points;
  }

  /** A range that often begins or ends where something is. */
  range(): { start: bigint; end: bigint } {
    if (this.random.chance(0.3)) return { start: -(2n ** 63n), end: 2n ** 63n - 1n };
    const one = this.someTs();
    const other = this.random.chance(0.1) ? one : this.someTs();
    return one <= other ? { start: one, end: other } : { start: other, end: one };
  }

  private someTs(): bigint {
    if (this.random.chance(0.3)) return this.random.pick(cornerTs);
    return baseTs + BigInt(this.random.below(40_000_000));
  }

  private times(series: Series, count: number): bigint[] {
    const shape = this.random.unit();
    if (shape < 0.1) return Array.from({ length: count }, () => this.random.int64());
    if (shape < 0.2) return Array.from({ length: count }, () => this.random.pick(cornerTs));
    // Small steps from a small base, so that duplicates and late points are common.
    if (shape < 0.4) return Array.from({ length: count }, () => this.someTs());
    const isRegular = this.random.chance(0.7);
    let ts = this.nextTs.get(series) ?? baseTs;
    if (this.random.chance(0.2)) ts -= BigInt(this.random.below(2_000_000));
    const times: bigint[] = [];
    for (let at = 0; at < count; at++) {
      times.push(ts);
      ts += isRegular ? 10_000n : BigInt(this.random.below(20_000));
    }
    this.nextTs.set(series, ts);
    return times;
  }

  private valueMaker(): () => number {
    const kind = this.random.below(6);
    let walk = this.random.below(100);
    const makers: readonly (() => number)[] = [
      () => walk,
      () => (walk += this.random.below(3) - 1),
      () => Math.round((walk += this.random.unit() - 0.5) * 100) / 100,
      () => this.random.unit() * 10 ** (this.random.below(40) - 20),
      () => this.random.pick(specialValues),
      () => this.anyDouble(),
    ];
    return makers[kind] ?? (() => 0);
  }

  private anyDouble(): number {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setUint32(0, this.random.next32());
    bits.setUint32(4, this.random.next32());
    const value = bits.getFloat64(0);
    return Number.isFinite(value) ? value : 0;
  }
}

const baseTs = 1_700_000_000_000n;

/** The points as NDJSON, each line in one of the ways a client may write it. */
export function linesOf(points: readonly Point[], random: Random): string {
  return points.map((point) => lineOf(point, random)).join('\n') + (random.chance(0.5) ? '\n' : '');
}

function lineOf({ series, ts, value }: Point, random: Random): string {
  const entries = Object.entries(series.labels);
  if (random.chance(0.2)) entries.reverse();
  const labels = JSON.stringify(Object.fromEntries(entries));
  const name = JSON.stringify(series.name);
  const [nameKey, labelKey] = random.chance(0.8) ? ['metric', 'labels'] : ['series', 'tags'];
  const parts = [`"${nameKey}":${name}`, `"ts":${String(ts)}`, `"value":${numberText(value)}`];
  if (entries.length > 0 || random.chance(0.5)) parts.splice(1, 0, `"${labelKey}":${labels}`);
  if (random.chance(0.1)) parts.reverse();
  const blank = random.chance(0.1) ? ' ' : '';
  return `{${blank}${parts.join(`,${blank}`)}${blank}}`;
}

// String() forgets the sign of zero.
function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
