/** At which times an expression is asked for. */

import { kUsualWindow, sizeOf, stepFor } from '../ask/window-values.js';
import { windowOf } from '../time-window.js';

import type { PromqlTimes } from '../../client/client.js';

export interface Question {
  readonly query: string;
  readonly endMs: number;
  /** Null: at one time alone. */
  readonly range: { readonly startMs: number; readonly step: string } | null;
}

interface Wish {
  /** The page's, as its address has it. */
  readonly window: string | null;
  readonly isRange: boolean;
  readonly nowMs: number;
}

/** Null: the window has no beginning, and so no steps. */
export function questionOf(query: string, { window, isRange, nowMs }: Wish): Question | null {
  const found = windowOf(window ?? kUsualWindow, { unit: 'ms', nowMs });
  if (!isRange) return { query, endMs: found === null ? nowMs : Number(found.end), range: null };
  if (found === null) return null;
  const [start, end] = [Number(found.start), Number(found.end)];
  const step = stepFor((end - start) / 1000);
  // The newest values are at the end: from there it is counted.
  const count = Math.floor((end - start) / 1000 / sizeOf(step));
  return { query, endMs: end, range: { startMs: end - count * sizeOf(step) * 1000, step } };
}

const inSeconds = (ms: number): string => (ms / 1000).toFixed(3);

export function timesOf({ endMs, range }: Question): PromqlTimes {
  const end = inSeconds(endMs);
  if (range === null) return { time: end };
  return { start: inSeconds(range.startMs), end, step: range.step };
}
