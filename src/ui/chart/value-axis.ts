/** The range and the marks of the value axis. */

import type { LineExtent } from './lines.js';

/** The scale as the address has it: from 0, logarithmic, or a range; null: fits the data. */
export type ValueScale = '0' | 'log' | `${number}..${number}` | null;

const kPad = 0.06;

/** Adds a margin, so that no line lies on the frame. The result and its size are finite. */
export function valueRange(
  extent: LineExtent | null,
  scale: ValueScale,
): readonly [number, number] {
  const [from = 0, to] = (scale ?? '').split('..').map(Number);
  if (to !== undefined) return finite(from, to);
  if (extent === null) return [0, 1];
  const { min, max } = extent;
  if (scale === 'log') return logRange(extent);
  const [low, high] = scale === '0' ? [Math.min(0, min), Math.max(0, max)] : [min, max];
  if (low === high) return around(low);
  // Each end separately: the difference of two finite numbers may overflow.
  const pad = high * kPad - low * kPad;
  return finite(low === 0 ? 0 : low - pad, high === 0 ? 0 : high + pad);
}

function around(value: number): readonly [number, number] {
  if (value === 0) return [-1, 1];
  const pad = Math.abs(value) * 0.1;
  return pad === 0 ? [-1, 1] : finite(value - pad, value + pad);
}

const bounded = (value: number, most = Number.MAX_VALUE): number =>
  Math.min(Math.max(value, -most), most);

/** Halves the limits if the size of the range would overflow. */
function finite(low: number, high: number): readonly [number, number] {
  const ends = [bounded(low), bounded(high)] as const;
  if (Number.isFinite(ends[1] - ends[0])) return ends;
  return [bounded(low, Number.MAX_VALUE / 2), bounded(high, Number.MAX_VALUE / 2)];
}

function logRange({ min, max }: LineExtent): readonly [number, number] {
  if (!(max > 0)) return [0.1, 10];
  const low = min > 0 ? min : max / 1e6;
  const [from, to] = low === max ? [low / 2, max * 2] : [low / 1.1, max * 1.1];
  return [Math.max(from, kLeast), Math.max(bounded(to), 10 * kLeast)];
}

/** Powers of ten below this one lose digits. */
const kLeast = 1e-307;

interface MarkOptions {
  readonly count: number;
  readonly isBinary: boolean;
  /** The number of units per second for a duration; null: not a duration. */
  readonly perSecond?: number | null;
}

/** About `count` round numbers: powers of two for bytes, clock steps for durations. */
export function valueMarks(
  [low, high]: readonly [number, number],
  { count, isBinary, perSecond = null }: MarkOptions,
): readonly number[] {
  const least = (high - low) / Math.max(1, count);
  const step =
    (perSecond === null ? null : clockStep(least, perSecond)) ?? roundStep(least, isBinary);
  const found: number[] = [];
  const first = Math.ceil(low / step);
  for (let at = 0; at <= kMarksMax && (first + at) * step <= high; at += 1) {
    const product = (first + at) * step;
    // The product with a step such as 0.1 has rounding digits.
    const mark = step < 1 ? Number(product.toPrecision(15)) : product;
    if (mark !== found.at(-1)) found.push(mark);
  }
  return found;
}

const clockSeconds = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800],
  ...[3_600, 7_200, 10_800, 21_600, 43_200, 86_400],
];

/** Null for steps below a second. */
function clockStep(least: number, perSecond: number): number | null {
  if (least <= 0.5 * perSecond) return null;
  const seconds = clockSeconds.find((one) => one * perSecond >= least * 0.999_999);
  return seconds === undefined ? dayStep(least, perSecond) : seconds * perSecond;
}

const dayStep = (least: number, perSecond: number): number =>
  roundStep(least / (86_400 * perSecond), false) * 86_400 * perSecond;

const kMarksMax = 100;

function roundStep(least: number, isBinary: boolean): number {
  if (!(least > kLeast) || !Number.isFinite(least)) return 1;
  const base = isBinary && least >= 1 ? 1024 ** Math.floor(Math.log(least) / Math.log(1024)) : 1;
  const rest = least / base;
  const decade = 10 ** Math.floor(Math.log10(rest));
  if (base > 1 || (isBinary && least >= 1)) {
    return base * 2 ** Math.ceil(Math.log2(rest));
  }
  return decade * ([1, 2, 2.5, 5, 10].find((one) => one * decade >= rest * 0.999_999) ?? 10);
}

/** Powers of ten; if they are few, also 2 and 5 times each. */
export function logMarks([low, high]: readonly [number, number]): readonly number[] {
  if (!(low > 0) || !Number.isFinite(high)) return [];
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = to - from <= 2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((to - from) / 8));
  const found: number[] = [];
  for (let power = from; power <= to; power += every) {
    for (const factor of factors) found.push(Number(`${factor}e${power}`));
  }
  return found.filter((one) => one >= low && one <= high);
}
