/** Converts times to pixels, so that content above and below the plot aligns with its lines. */

import type { TimeWindow } from '../time-window.js';

export type TimeStretch = Pick<TimeWindow, 'start' | 'end'>;

export interface TimeScale extends TimeStretch {
  /** The distance from the left of the chart to its plot, in CSS pixels. */
  readonly left: number;
  /** The width of the plot, in CSS pixels. */
  readonly width: number;
}

/** Pixels from the left of the plot; outside of it for times outside. */
export function pixelOf({ start, end, width }: TimeScale, ts: bigint): number {
  return end === start ? width / 2 : (Number(ts - start) / Number(end - start)) * width;
}

export function tsAt({ start, end, width }: TimeScale, pixel: number): bigint {
  return start + BigInt(Math.round((pixel / Math.max(1, width)) * Number(end - start)));
}

/** Moves the window by a share of its length; to the left if negative. */
export function moved({ start, end }: TimeStretch, part: number): TimeStretch {
  const by = BigInt(Math.round(Number(end - start) * part));
  return { start: start + by, end: end + by };
}

/** Scales the window by `factor`; the time at the share `part` of it stays in place. */
export function zoomed({ start, end }: TimeStretch, factor: number, part = 0.5): TimeStretch {
  const length = Number(end - start);
  const longer = Math.max(1, Math.round(length * factor));
  const from = start + BigInt(Math.round((length - longer) * part));
  return { start: from, end: from + BigInt(longer) };
}

/** Rounds both ends to a power of ten below a pixel, which keeps addresses short. */
export function rounded({ start, end }: TimeStretch, columns: number): TimeStretch {
  const perPixel = Number(end - start) / Math.max(1, columns);
  const step = BigInt(10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, perPixel)))));
  const round = (ts: bigint): bigint => ((ts + step / 2n) / step) * step;
  const found = { start: round(start), end: round(end) };
  return found.start < found.end ? found : { start, end: end > start ? end : start + 1n };
}
