/** The current values of `:from`, `:to` and `:width`. */

import { allTime, windowOf, type ClockNow } from '../time-window.js';
import { perSecond, printIso } from '../zone.js';

import type { WindowValues } from '../editor/window-words.js';

/** The time range if the address has none. */
export const kUsualWindow = '24h';
const kBuckets = 300;

const steps = [
  ...['1s', '2s', '5s', '10s', '15s', '30s', '1m', '2m', '5m', '10m', '15m', '30m'],
  ...['1h', '2h', '3h', '6h', '12h', '1d', '7d', '30d'],
] as const;
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export function windowValues(text: string | null, now: ClockNow): WindowValues {
  const found = windowOf(text ?? kUsualWindow, now);
  if (found === null || text === allTime) {
    return { from: "'1970-01-01T00:00:00Z'", to: "'2200-01-01T00:00:00Z'", width: '1d' };
  }
  const { start, end } = found;
  const seconds = Number(end - start) / Number(perSecond(now.unit));
  const width = stepFor(seconds);
  return {
    from: `'${printIso(start, now.unit)}'`,
    to: `'${printIso(end, now.unit)}'`,
    width,
  };
}

/** The smallest step that gives at most 300 buckets; 30 days if none does. */
export function stepFor(seconds: number): string {
  return steps.find((step) => sizeOf(step) * kBuckets >= seconds) ?? '30d';
}

/** The length of a step, in seconds. */
function sizeOf(step: string): number {
  return Number.parseInt(step, 10) * (secondsOf[step.slice(-1)] ?? 1);
}
