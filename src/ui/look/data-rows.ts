/** The picture as table rows: as drawn, or by hours or days of the zone. */

import { epochMs, offsetSeconds, startOfDay, tsOfMs, type PageClock } from '../zone.js';
import { placeFrom, type ChartLine } from '../chart/lines.js';

export const rowSizes = ['drawn', 'hour', 'day'] as const;
export type RowSize = (typeof rowSizes)[number];

export interface DataCell {
  /** The mean of one bucket or sample; null: of several buckets with unknown sample counts. */
  readonly mean: number | null;
  readonly min: number;
  readonly max: number;
  readonly last: number;
}

export interface DataRow {
  /** Ticks from the origin. */
  readonly x: number;
  /** The end of the gap if the row stands for a gap; null otherwise. */
  readonly holeUntil: number | null;
  /** By line; null: no samples. */
  readonly cells: readonly (DataCell | null)[];
}

interface Ground {
  readonly origin: bigint;
  readonly clock: PageClock;
}

export function dataRows(
  lines: readonly ChartLine[],
  size: RowSize,
  ground: Ground,
): readonly DataRow[] {
  const times = unionOf(lines);
  const starts = size === 'drawn' ? times : startsOf(times, size, ground);
  const gap = size === 'drawn' ? Math.max(...lines.map(({ gapTicks }) => gapTicks)) : Infinity;
  const rows: DataRow[] = [];
  starts.forEach((x, at) => {
    const until = starts[at + 1] ?? Infinity;
    const before = starts[at - 1];
    if (before !== undefined && x - before > gap) {
      rows.push({ x: before, holeUntil: x, cells: lines.map(() => null) });
    }
    rows.push({ x, holeUntil: null, cells: lines.map((line) => cellOf(line, x, until)) });
  });
  return rows;
}

function unionOf(lines: readonly ChartLine[]): readonly number[] {
  const [only, ...more] = lines;
  if (only === undefined) return [];
  if (more.length === 0) return [...only.xs];
  const all = new Set<number>();
  for (const { xs } of lines) for (const x of xs) all.add(x);
  return [...Float64Array.from(all).sort()];
}

/** The starts of the hours or days that contain the times. */
function startsOf(
  times: readonly number[],
  size: 'hour' | 'day',
  ground: Ground,
): readonly number[] {
  const { origin, clock } = ground;
  const found: number[] = [];
  let until = -Infinity;
  for (const x of times) {
    if (x < until) continue;
    const ms = epochMs(origin + BigInt(Math.floor(x)), clock.unit);
    if (ms === null) return times;
    const [start, end] = size === 'day' ? dayOf(ms, clock.zone) : hourOf(ms, clock.zone);
    found.push(Number(tsOfMs(start, clock.unit) - origin));
    until = Number(tsOfMs(end, clock.unit) - origin);
  }
  return found;
}

const dayOf = (ms: number, zone: string): readonly [number, number] => [
  startOfDay(ms, zone),
  startOfDay(ms, zone, 1),
];

function hourOf(ms: number, zone: string): readonly [number, number] {
  const hour = 3_600_000;
  const over = (((ms + offsetSeconds(ms, zone) * 1000) % hour) + hour) % hour;
  return [ms - over, ms - over + hour];
}

/** Merges the points of a line from `x` up to `until`, exclusive. */
function cellOf(line: ChartLine, x: number, until: number): DataCell | null {
  const start = placeFrom(line.xs, x);
  let min = Infinity;
  let max = -Infinity;
  let at = start;
  for (; at < line.xs.length && (line.xs[at] ?? 0) < until; at += 1) {
    min = Math.min(min, line.min[at] ?? Infinity);
    max = Math.max(max, line.max[at] ?? -Infinity);
  }
  if (at === start) return null;
  const mean = at === start + 1 ? (line.mean[start] ?? NaN) : null;
  return { mean, min, max, last: line.last[at - 1] ?? NaN };
}
