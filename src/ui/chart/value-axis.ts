/** The axis of values: from where to where, and where it is marked. */

import type { Extent } from './lines.js';

/** How the address has it: from 0, of powers, from one value to another; null: what fits. */
export type ValueScale = '0' | 'log' | `${number}..${number}` | null;

const kPad = 0.06;

/** A little more than there is, so that no line lies on the frame. */
export function valueRange(extent: Extent | null, scale: ValueScale): readonly [number, number] {
  const [from = 0, to] = (scale ?? '').split('..').map(Number);
  if (to !== undefined) return [from, to];
  if (extent === null) return [0, 1];
  const { min, max } = extent;
  if (scale === 'log') return logRange(extent);
  const [low, high] = scale === '0' ? [Math.min(0, min), Math.max(0, max)] : [min, max];
  if (low === high) return around(low);
  const pad = (high - low) * kPad;
  return [low === 0 ? 0 : low - pad, high === 0 ? 0 : high + pad];
}

function around(value: number): readonly [number, number] {
  if (value === 0) return [-1, 1];
  const pad = Math.abs(value) * 0.1;
  return [value - pad, value + pad];
}

function logRange({ min, max }: Extent): readonly [number, number] {
  if (!(max > 0)) return [0.1, 10];
  const low = min > 0 ? min : max / 1e6;
  return low === max ? [low / 2, max * 2] : [low / 1.1, max * 1.1];
}

/** Round numbers, about `count` of them; of bytes round in powers of two. */
export function valueMarks(
  [low, high]: readonly [number, number],
  { count, isBinary }: { readonly count: number; readonly isBinary: boolean },
): readonly number[] {
  const step = roundStep((high - low) / Math.max(1, count), isBinary);
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) {
    // A product of a step like 0.1 has a tail.
    found.push(Number((at * step).toPrecision(12)));
    if (found.length > 100) break;
  }
  return found;
}

function roundStep(least: number, isBinary: boolean): number {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const base = isBinary && least >= 1 ? 1024 ** Math.floor(Math.log(least) / Math.log(1024)) : 1;
  const rest = least / base;
  const decade = 10 ** Math.floor(Math.log10(rest));
  if (base > 1 || (isBinary && least >= 1)) {
    return base * 2 ** Math.ceil(Math.log2(rest));
  }
  return decade * ([1, 2, 2.5, 5, 10].find((one) => one * decade >= rest * 0.999_999) ?? 10);
}

/** Powers of ten, and what lies between where they are few. */
export function logMarks([low, high]: readonly [number, number]): readonly number[] {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = to - from <= 2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((to - from) / 8));
  const found: number[] = [];
  for (let power = from; power <= to; power += every) {
    for (const factor of factors) found.push(factor * 10 ** power);
  }
  return found.filter((one) => one >= low && one <= high);
}
