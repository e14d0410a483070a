/** The evaluation times of an expression. */

import { kUsualWindow, stepFor } from '../ask/window-values.js';
import { readSeconds, windowOf } from '../time-window.js';

import type { PromqlTimes } from '../../client/client.js';

interface Range {
  readonly startMs: number;
  /** A duration such as `15s` or `1h30m`. */
  readonly step: string;
}

export interface PagePromqlQuestion {
  readonly query: string;
  readonly endMs: number;
  /** Null: an instant query. */
  readonly range: Range | null;
}

interface Wish {
  /** The time range in the page's address; null: the default. */
  readonly window: string | null;
  readonly isRange: boolean;
  /** The step of a range query; null: chosen to fit the window. */
  readonly step: string | null;
  readonly nowMs: number;
  /** The zone that decides what `today` and similar words mean. */
  readonly zone: string;
}

/** The error of a range query over all of time. */
export const noSteps = '“All time” has no steps: choose a time range above.';

/** Null: the window has no start, so a range query has no steps. */
export function questionOf(query: string, wish: Wish): PagePromqlQuestion | null {
  const { window, isRange, step, nowMs, zone } = wish;
  const found = windowOf(window ?? kUsualWindow, { unit: 'ms', zone, nowMs });
  if (!isRange) return { query, endMs: found === null ? nowMs : Number(found.end), range: null };
  if (found === null) return null;
  const [start, end] = [Number(found.start), Number(found.end)];
  const range = rangeTo(end, end - start, step ?? stepFor((end - start) / 1000));
  return { query, endMs: end, range };
}

/** Steps are aligned to the end, where the newest values are. */
function rangeTo(endMs: number, lengthMs: number, step: string): Range {
  const ms = stepMs(step);
  return { startMs: endMs - Math.floor(lengthMs / ms) * ms, step };
}

export const stepMs = (step: string): number => Number(readSeconds(step)) * 1000;

const inSeconds = (ms: number): string => (ms / 1000).toFixed(3);

export function timesOf({ endMs, range }: PagePromqlQuestion): PromqlTimes {
  const end = inSeconds(endMs);
  if (range === null) return { time: end };
  const step = String(stepMs(range.step) / 1000);
  return { start: inSeconds(range.startMs), end, step };
}
