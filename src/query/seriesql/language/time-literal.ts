/**
 * Durations and timestamps as written. Both are read in nanoseconds and rounded toward -inf once
 * more when they become the database's unit, which gives the same as rounding once.
 */

import { kDayMs, kHourMs, kMinuteMs } from '../../../common/model/duration.js';
import { floorDivide } from '../../../common/model/integers.js';
import { clockOf, parseIsoNanoseconds } from '../../../common/model/iso-time.js';
import { nanosecondsPerUnit } from '../../../common/model/timestamp-unit.js';
import { msOfShown } from '../../../common/model/zone.js';

export interface DurationLiteral {
  readonly nanoseconds: bigint;
  /** Calendar months, of `mo` and `y`. Never beside nanoseconds. */
  readonly months: number;
  /** The largest unit that all parts share: weeks, days (or weeks), or neither. */
  readonly grain: 'weeks' | 'days' | 'months' | 'time';
}

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ...nanosecondsPerUnit,
  ...{ m: inNanoseconds(kMinuteMs), h: inNanoseconds(kHourMs) },
  ...{ d: inNanoseconds(kDayMs), w: inNanoseconds(7 * kDayMs) },
};

function inNanoseconds(milliseconds: number): bigint {
  return BigInt(milliseconds) * nanosecondsPerUnit.ms;
}

/** More digits than this are past 64 bits in any unit. */
const kDigitsMax = 40;
const kFractionScale = 10n ** BigInt(kDigitsMax);
const kMonthsMax = 12 * 10_000;

/** One after the other: what stands between them is not looked at. */
const durationPart = /([0-9]+)(?:\.([0-9]+))?(ns|us|ms|mo|[smhdwy])/g;
/** What a duration looks like; whether there is one of that size, readDuration tells. */
export const durationForm = new RegExp(`^(?:${durationPart.source})+$`);

/** Of a duration token. Null: too large, or units that cannot stand together. */
export function readDuration(text: string): DurationLiteral | null {
  let nanoseconds = 0n;
  /** Of fractions, in parts of kFractionScale. */
  let scaled = 0n;
  let months = 0;
  const units: string[] = [];
  durationPart.lastIndex = 0;
  for (let part = durationPart.exec(text); part !== null; part = durationPart.exec(text)) {
    const [, whole = '', fraction = '', unit = ''] = part;
    units.push(unit);
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
  const isCalendar = units.includes('mo') || units.includes('y');
  const hasOthers = units.some((unit) => unit !== 'mo' && unit !== 'y');
  if ((isCalendar && hasOthers) || months > kMonthsMax) return null;
  nanoseconds += scaled / kFractionScale;
  return { nanoseconds, months, grain: grainOf(units, isCalendar) };
}

function grainOf(units: readonly string[], isCalendar: boolean): DurationLiteral['grain'] {
  if (isCalendar) return 'months';
  if (units.every((unit) => unit === 'w')) return 'weeks';
  return units.every((unit) => unit === 'w' || unit === 'd') ? 'days' : 'time';
}

/** Of all forms of ISO 8601 the language has these. */
const timestampForm = new RegExp(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}' +
    '(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?(?:Z|[+-][0-9]{2}(?::[0-9]{2})?)?)?$',
);

/** Nanoseconds since 1970, or null when this is no date of the calendar. */
export function readTimestamp(text: string, zone = 'UTC'): bigint | null {
  return timestampForm.test(text) ? parseIsoNanoseconds(text, clockOf(zone)) : null;
}

/**
 * The moment at which clocks of the zone show that time: the first of two where clocks are put
 * back, so much later as they skip where they skip it. Null: no date, or one with a zone of its
 * own. REQUIRES: a zone that there is.
 */
export function readTimestampIn(zone: string, text: string): bigint | null {
  const shown = /(?:Z|[T ].*[+-][0-9:]+)$/.test(text) ? null : readTimestamp(text);
  if (shown === null) return null;
  const perMs = nanosecondsPerUnit.ms;
  const ms = floorDivide(shown, perMs);
  return BigInt(msOfShown(Number(ms), zone)) * perMs + (shown - ms * perMs);
}
