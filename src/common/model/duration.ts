/** Durations in milliseconds, and their notation in settings: `250ms`, `10s`, `5m`, `1h`, `7d`. */

import { milliseconds, type Milliseconds } from './timestamp-unit.js';

export const kSecondMs = 1000;
export const kMinuteMs = 60 * kSecondMs;
export const kHourMs = 60 * kMinuteMs;
export const kDayMs = 24 * kHourMs;

const unitMs: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: kSecondMs, m: kMinuteMs, h: kHourMs, d: kDayMs },
};

/** Milliseconds, or null when `text` is not a duration. */
export function parseDurationMs(text: string): Milliseconds | null {
  const match = /^([0-9]{1,12})(ms|s|m|h|d)$/.exec(text);
  const factor = unitMs[match?.[2] ?? ''];
  if (match === null || factor === undefined) return null;
  const durationMs = Number(match[1]) * factor;
  return Number.isSafeInteger(durationMs) ? milliseconds(durationMs) : null;
}

/** The shortest exact text: `90m`, `7d`. */
export function printDuration(durationMs: number): string {
  for (const [unit, ms] of Object.entries(unitMs).reverse()) {
    if (durationMs % ms === 0 && durationMs >= ms) return `${durationMs / ms}${unit}`;
  }
  return `${durationMs}ms`;
}
