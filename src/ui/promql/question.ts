/** At which times an expression is asked for. */

import { kUsualWindow, stepFor } from '../ask/window-values.js';
import { readSeconds, windowOf } from '../time-window.js';

import type { PromqlTimes } from '../../client/client.js';

interface Range {
  readonly startMs: number;
  /** As `15s` or `1h30m`. */
  readonly step: string;
}

export interface Question {
  readonly query: string;
  readonly endMs: number;
  /** Null: at one time alone. */
  readonly range: Range | null;
}

interface Wish {
  /** The page's, as its address has it. */
  readonly window: string | null;
  readonly isRange: boolean;
  /** Of a range; null: as fits the window. */
  readonly step: string | null;
  readonly nowMs: number;
  /** Whose days `today` and the like mean. */
  readonly zone: string;
}

/** Of a range over all of time. */
export const noSteps = '“All time” has no steps: choose a time range above.';

/** Null: the window has no beginning, and so no steps. */
export function questionOf(query: string, wish: Wish): Question | null {
  const { window, isRange, step, nowMs, zone } = wish;
  const found = windowOf(window ?? kUsualWindow, { unit: 'ms', zone, nowMs });
  if (!isRange) return { query, endMs: found === null ? nowMs : Number(found.end), range: null };
  if (found === null) return null;
  const [start, end] = [Number(found.start), Number(found.end)];
  const range = rangeTo(end, end - start, step ?? stepFor((end - start) / 1000));
  return { query, endMs: end, range };
}

/** The newest values are at the end: from there it is counted. */
function rangeTo(endMs: number, lengthMs: number, step: string): Range {
  const ms = stepMs(step);
  return { startMs: endMs - Math.floor(lengthMs / ms) * ms, step };
}

export const stepMs = (step: string): number => Number(readSeconds(step)) * 1000;

const inSeconds = (ms: number): string => (ms / 1000).toFixed(3);

export function timesOf({ endMs, range }: Question): PromqlTimes {
  const end = inSeconds(endMs);
  if (range === null) return { time: end };
  const step = String(stepMs(range.step) / 1000);
  return { start: inSeconds(range.startMs), end, step };
}
