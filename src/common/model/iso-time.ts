/** ISO 8601 times as text. */

import { daysOfDate } from './calendar.js';
import { kDayMs, kSecondMs } from './duration.js';
import { floorDivide } from './integers.js';
import {
  fromNanoseconds,
  kNanosecondsPerSecond,
  unitsPerSecond,
  type DatabaseTime,
  type Nanoseconds,
  type TimestampUnit,
} from './timestamp-unit.js';
import { msOfShown, offsetSeconds, printOffset } from './zone.js';

/**
 * Converts a local clock time to a moment. Both are milliseconds; the local time counts as if it
 * were UTC.
 */
export type ZoneClock = (shownMs: number) => number;

/** The clock of a zone; null for UTC. If a local time occurs twice, the first moment counts. */
export function clockOf(zone: string): ZoneClock | null {
  return zone === 'UTC' ? null : (shownMs) => msOfShown(shownMs, zone);
}

const datePart = /([0-9]{4}|[+-][0-9]{6})-([0-9]{2})-([0-9]{2})/;
const timePart = /(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?)?/;
const zonePart = /(?:Z|([+-])([0-9]{2})(?::([0-9]{2}))?)?/;
const form = new RegExp(`^${datePart.source}${timePart.source}${zonePart.source}$`);

const kDaySeconds = kDayMs / kSecondMs;

/**
 * Nanoseconds since 1970. Null if the calendar has no such time. If the text names no zone,
 * `clock` applies, or else UTC. A date alone means midnight. Digits after the ninth of a fraction
 * are cut.
 */
export function parseIsoNanoseconds(
  text: string,
  clock: ZoneClock | null = null,
): Nanoseconds | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match;
  const [sign, zoneHour = '0', zoneMinute = '0'] = match.slice(8);
  const days = daysOfDate(Number(year), Number(month), Number(day));
  if (days === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return null;
  const zoneMinutes = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute));
  const minutes = Number(hour) * 60 + Number(minute) - zoneMinutes;
  const shown = days * kDaySeconds + minutes * 60 + Number(second);
  const isLocal = clock !== null && sign === undefined && !text.endsWith('Z');
  const seconds = BigInt(isLocal ? clock(shown * kSecondMs) / kSecondMs : shown);
  const within = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return (seconds * kNanosecondsPerSecond + within) as Nanoseconds;
}

/** Like parseIsoNanoseconds(), but in `unit`, rounded down. */
export function parseIso(
  text: string,
  unit: TimestampUnit,
  clock: ZoneClock | null = null,
): DatabaseTime | null {
  const nanoseconds = parseIsoNanoseconds(text, clock);
  return nanoseconds === null ? null : fromNanoseconds(nanoseconds, unit);
}

/** The limit of JavaScript's Date, in seconds. */
const kDateSecondsMax = 8_640_000_000_000n;

const fractionDigits: Readonly<Record<TimestampUnit, number>> = { s: 0, ms: 3, us: 6, ns: 9 };

/** The ISO form with all digits of the unit. Empty outside the years that Date can hold. */
export function printTime(ts: bigint, unit: TimestampUnit): string {
  const perSecond = unitsPerSecond(unit);
  const seconds = floorDivide(ts, perSecond);
  if (seconds > kDateSecondsMax || seconds < -kDateSecondsMax) return '';
  const whole = new Date(Number(seconds) * 1000).toISOString().replace('.000Z', '');
  const digits = fractionDigits[unit];
  const fraction = String(ts - seconds * perSecond).padStart(digits, '0');
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction}Z`;
}

/** The ISO form in the local time of a zone, with its UTC offset. */
export function printTimeIn(zone: string, ts: bigint, unit: TimestampUnit): string {
  const perSecond = unitsPerSecond(unit);
  const seconds = floorDivide(ts, perSecond);
  if (seconds > kDateSecondsMax || seconds < -kDateSecondsMax) return '';
  const offset = offsetSeconds(Number(seconds) * 1000, zone);
  if (offset === 0) return printTime(ts, unit);
  const shown = printTime(ts + BigInt(offset) * perSecond, unit);
  return shown.replace('Z', printOffset(offset));
}
