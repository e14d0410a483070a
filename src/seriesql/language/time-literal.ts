/**
 * Durations and timestamps as written. Both are read in nanoseconds and rounded toward -inf once
 * more when they become the database's unit, which gives the same as rounding once.
 */

import { floorDivide } from './value.js';

import type { TimestampUnit } from '../../model/timestamp-unit.js';

export interface DurationLiteral {
  readonly nanoseconds: bigint;
  /** Calendar months, of `mo` and `y`. Never beside nanoseconds. */
  readonly months: number;
  /** The largest unit that all parts share: weeks, days (or weeks), or neither. */
  readonly grain: 'weeks' | 'days' | 'months' | 'time';
}

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

export const nanosecondsPerUnit: Readonly<Record<TimestampUnit, bigint>> = {
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};

/** More digits than this are past 64 bits in any unit. */
const kDigitsMax = 40;
const kFractionScale = 10n ** BigInt(kDigitsMax);
const kMonthsMax = 12 * 10_000;

/** Of a duration token. Null: too large, or units that cannot stand together. */
export function readDuration(text: string): DurationLiteral | null {
  let nanoseconds = 0n;
  /** Of fractions, in parts of kFractionScale. */
  let scaled = 0n;
  let months = 0;
  const units = new Set<string>();
  for (const part of text.matchAll(/([0-9]+)(?:\.([0-9]+))?(ns|us|ms|mo|[smhdwy])/g)) {
    const [, whole = '', fraction = '', unit = ''] = part;
    units.add(unit);
    if (whole.length > kDigitsMax || fraction.length > kDigitsMax) return null;
    if (unit === 'mo' || unit === 'y') {
      if (fraction !== '') return null;
      months += Number(whole) * (unit === 'y' ? 12 : 1);
    } else {
      const size = nanosecondsOf[unit] ?? 0n;
      nanoseconds += BigInt(whole) * size;
      if (fraction !== '') scaled += BigInt(fraction.padEnd(kDigitsMax, '0')) * size;
    }
  }
  const isCalendar = units.has('mo') || units.has('y');
  const hasOthers = [...units].some((unit) => unit !== 'mo' && unit !== 'y');
  if ((isCalendar && hasOthers) || months > kMonthsMax) return null;
  nanoseconds += scaled / kFractionScale;
  return { nanoseconds, months, grain: grainOf(units, isCalendar) };
}

function grainOf(units: ReadonlySet<string>, isCalendar: boolean): DurationLiteral['grain'] {
  if (isCalendar) return 'months';
  const all = [...units];
  if (all.every((unit) => unit === 'w')) return 'weeks';
  return all.every((unit) => unit === 'w' || unit === 'd') ? 'days' : 'time';
}

const timestampForm = new RegExp(
  '^([0-9]{4})-([0-9]{2})-([0-9]{2})' +
    '(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})?)?$',
);

/** Nanoseconds since 1970, or null when this is no date of the calendar. */
export function readTimestamp(text: string): bigint | null {
  const match = timestampForm.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const parts = [Number(year), Number(month), Number(day)] as const;
  const days = daysOfDate(parts[0], parts[1], parts[2]);
  if (days === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const offset = zoneMinutes(zone ?? 'Z');
  if (offset === null) return null;
  const minutes = Number(hour) * 60 + Number(minute) - offset;
  const seconds = BigInt(days * 86_400 + minutes * 60 + Number(second));
  return seconds * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Days since 1970-01-01 of a date in the Gregorian calendar; null when it has no such day. */
export function daysOfDate(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1) return null;
  const days = daysFromCivil(year, month, day);
  const [nextYear, nextMonth] = month === 12 ? [year + 1, 1] : [year, month + 1];
  return days < daysFromCivil(nextYear, nextMonth, 1) ? days : null;
}

/** The algorithm is Howard Hinnant's `days_from_civil`, with years that begin in March. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Year and month (1…12) of a day since 1970-01-01: the reverse, `civil_from_days`. */
export function monthOfDay(days: number): { readonly year: number; readonly month: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month };
}

/** Rounded toward -inf. */
export function toUnit(nanoseconds: bigint, unit: TimestampUnit): bigint {
  return floorDivide(nanoseconds, nanosecondsPerUnit[unit]);
}
