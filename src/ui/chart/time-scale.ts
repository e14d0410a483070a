/** Times and pixels of a chart: what is drawn above or below it lies where its lines lie. */

import type { TimeWindow } from '../time-window.js';

export type Stretch = Pick<TimeWindow, 'start' | 'end'>;

export interface TimeScale extends Stretch {
  /** From the left of the chart to where its plot begins, in pixels of the page. */
  readonly left: number;
  /** Of the plot. */
  readonly width: number;
}

/** Pixels from the left of the plot; beyond it for times outside. */
export function pixelOf({ start, end, width }: TimeScale, ts: bigint): number {
  return end === start ? width / 2 : (Number(ts - start) / Number(end - start)) * width;
}

export function tsAt({ start, end, width }: TimeScale, pixel: number): bigint {
  return start + BigInt(Math.round((pixel / Math.max(1, width)) * Number(end - start)));
}

/** Moved by a part of its length; to the left below 0. */
export function moved({ start, end }: Stretch, part: number): Stretch {
  const by = BigInt(Math.round(Number(end - start) * part));
  return { start: start + by, end: end + by };
}

/** `factor` times as long; what stands at `part` of it stays there. */
export function zoomed({ start, end }: Stretch, factor: number, part = 0.5): Stretch {
  const length = Number(end - start);
  const longer = Math.max(1, Math.round(length * factor));
  const from = start + BigInt(Math.round((length - longer) * part));
  return { start: from, end: from + BigInt(longer) };
}

/** Ends at times as round as a pixel is wide: an address need not say more. */
export function rounded({ start, end }: Stretch, columns: number): Stretch {
  const perPixel = Number(end - start) / Math.max(1, columns);
  const step = BigInt(10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, perPixel)))));
  const round = (ts: bigint): bigint => ((ts + step / 2n) / step) * step;
  const found = { start: round(start), end: round(end) };
  return found.start < found.end ? found : { start, end: end > start ? end : start + 1n };
}
