/**
 * Times as people read them: 24 hours, in one zone for all of the page, its offset always told.
 * Timestamps are exact integers in the database's unit until they are printed.
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

/** What a field of the page says of a name that is no zone. */
export function zoneFault(name: string): string {
  const text = noZone(name);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('?') ? '' : '.'}`;
}

export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** What a timestamp counts, and where its reader is. */
export interface Clock {
  readonly unit: TimeUnit;
  /** A name of the IANA's list. */
  readonly zone: string;
}

const digitsOf: Readonly<Record<TimeUnit, number>> = { s: 0, ms: 3, us: 6, ns: 9 };

/** So many of a unit are a second. */
export function perSecond(unit: TimeUnit): bigint {
  return 10n ** BigInt(digitsOf[unit]);
}

/** What calendars of computers know: 100 million days each way. */
const kSecondsMax = 8_640_000_000_000n;

/** Whole seconds since 1970, rounded down, and what is over. */
function split(ts: bigint, unit: TimeUnit): { readonly seconds: bigint; readonly rest: bigint } {
  const size = perSecond(unit);
  const rest = ((ts % size) + size) % size;
  return { seconds: (ts - rest) / size, rest };
}

/** Milliseconds since 1970 as a calendar takes them; null beyond what it knows. */
export function epochMs(ts: bigint, unit: TimeUnit): number | null {
  const { seconds, rest } = split(ts, unit);
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return null;
  return Number(seconds) * 1000 + Number((rest * 1000n) / perSecond(unit));
}

/** The timestamp of a moment that a calendar gave. */
export function tsOfMs(ms: number, unit: TimeUnit): bigint {
  const whole = BigInt(Math.floor(ms));
  return unit === 's' ? split(whole, 'ms').seconds : whole * (perSecond(unit) / 1000n);
}

/** `2026-11-21 03:12:05.250 +01:00`; the bare integer where no calendar reaches. */
export function printTime(ts: bigint, { unit, zone }: Clock): string {
  const ms = epochMs(ts, unit);
  if (ms === null) return String(ts);
  const offset = offsetSeconds(ms, zone);
  const { rest } = split(ts, unit);
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(digitsOf[unit], '0')}`;
  // What UTC shows when it is so much later there.
  const [date = '', time = ''] = new Date(ms + offset * 1000).toISOString().split('T');
  return `${date} ${time.slice(0, 8)}${fraction} ${printOffset(offset)}`;
}

/** Exact, and the same everywhere: `2026-11-21T02:12:05.250Z`. */
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
 * The moment at which clocks of the zone show this: the first of two where they are put back. Where
 * they skip it, so much later as they skip. Days and hours may run over.
 */
export function msOfLocal(local: LocalTime, zone: string): number {
  const { year, month, day, hour = 0, minute = 0, second = 0 } = local;
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  shown.setUTCHours(hour, minute, second);
  return msOfShown(shown.getTime(), zone);
}

/** What clocks of the zone show at that moment, without what is less than a second. */
export function localTime(ms: number, zone: string): Required<LocalTime> {
  const there = new Date(ms + offsetSeconds(ms, zone) * 1000);
  return {
    ...{ year: there.getUTCFullYear(), month: there.getUTCMonth() + 1, day: there.getUTCDate() },
    ...{ hour: there.getUTCHours(), minute: there.getUTCMinutes(), second: there.getUTCSeconds() },
  };
}

/** The first moments of the day of `ms`, and of so many days later, each as long as it is there. */
export function startOfDay(ms: number, zone: string, daysLater = 0): number {
  const { year, month, day } = localTime(ms, zone);
  return msOfLocal({ year, month, day: day + daysLater }, zone);
}
