/**
 * Prints times: 24-hour clock, one zone per page, always with the offset. Timestamps are exact
 * integers in the database's unit until they are printed.
 */

import {
  allZones,
  isZone,
  msOfShown,
  noZone,
  offsetSeconds,
  printOffset,
} from '../common/model/zone.js';

export { allZones, isZone, offsetSeconds, printOffset };

/** The error of a field whose text is not a zone. */
export function zoneFault(name: string): string {
  const text = noZone(name);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('?') ? '' : '.'}`;
}

export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** The unit of timestamps and the zone of the page. */
export interface PageClock {
  readonly unit: TimeUnit;
  /** An IANA zone name. */
  readonly zone: string;
}

const digitsOf: Readonly<Record<TimeUnit, number>> = { s: 0, ms: 3, us: 6, ns: 9 };

/** The number of units per second. */
export function perSecond(unit: TimeUnit): bigint {
  return 10n ** BigInt(digitsOf[unit]);
}

/** The range of JavaScript dates: 100 million days each way. */
const kSecondsMax = 8_640_000_000_000n;

/** Whole seconds since 1970, rounded down, and the remainder in units. */
function split(ts: bigint, unit: TimeUnit): { readonly seconds: bigint; readonly rest: bigint } {
  const size = perSecond(unit);
  const rest = ((ts % size) + size) % size;
  return { seconds: (ts - rest) / size, rest };
}

/** Milliseconds since 1970; null beyond the range of JavaScript dates. */
export function epochMs(ts: bigint, unit: TimeUnit): number | null {
  const { seconds, rest } = split(ts, unit);
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return null;
  return Number(seconds) * 1000 + Number((rest * 1000n) / perSecond(unit));
}

/** Converts milliseconds since 1970 into a timestamp. */
export function tsOfMs(ms: number, unit: TimeUnit): bigint {
  const whole = BigInt(Math.floor(ms));
  return unit === 's' ? split(whole, 'ms').seconds : whole * (perSecond(unit) / 1000n);
}

/** `2026-11-21 03:12:05.250 +01:00`; the bare integer beyond the range of JavaScript dates. */
export function printTime(ts: bigint, { unit, zone }: PageClock): string {
  const ms = epochMs(ts, unit);
  if (ms === null) return String(ts);
  const offset = offsetSeconds(ms, zone);
  const { rest } = split(ts, unit);
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(digitsOf[unit], '0')}`;
  // UTC, shifted by the offset, shows the local time.
  const [date = '', time = ''] = new Date(ms + offset * 1000).toISOString().split('T');
  return `${date} ${time.slice(0, 8)}${fraction} ${printOffset(offset)}`;
}

/** Exact, and independent of the zone: `2026-11-21T02:12:05.250Z`. */
export function printIso(ts: bigint, unit: TimeUnit): string {
  const [date = '', time = ''] = printTime(ts, { unit, zone: 'UTC' }).split(' ');
  return time === '' ? date : `${date}T${time}Z`;
}

interface LocalTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
}

/**
 * The moment of a local time. If clocks go back, the first of the two moments. If clocks skip it,
 * the moment is later by the skipped length. Days and hours may overflow.
 */
export function msOfLocal(local: LocalTime, zone: string): number {
  const { year, month, day, hour = 0, minute = 0, second = 0 } = local;
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  shown.setUTCHours(hour, minute, second);
  return msOfShown(shown.getTime(), zone);
}

/** The local time in the zone, without fractions of a second. */
export function localTime(ms: number, zone: string): Required<LocalTime> {
  const there = new Date(ms + offsetSeconds(ms, zone) * 1000);
  return {
    ...{ year: there.getUTCFullYear(), month: there.getUTCMonth() + 1, day: there.getUTCDate() },
    ...{ hour: there.getUTCHours(), minute: there.getUTCMinutes(), second: there.getUTCSeconds() },
  };
}

/** The start of the local day of `ms`, or of a day `daysLater` days later. */
export function startOfDay(ms: number, zone: string, daysLater = 0): number {
  const { year, month, day } = localTime(ms, zone);
  return msOfLocal({ year, month, day: day + daysLater }, zone);
}
