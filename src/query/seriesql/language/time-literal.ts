/**
 * Reads duration and timestamp literals in nanoseconds. Conversion to the database's unit rounds
 * toward -inf once more; the result equals a single rounding.
 */

import { kDayMs, kHourMs, kMinuteMs } from '../../../common/model/duration.js';
import { floorDivide } from '../../../common/model/integers.js';
import { clockOf, parseIsoNanoseconds } from '../../../common/model/iso-time.js';
import {
  milliseconds,
  nanoseconds,
  nanosecondsPerUnit,
  toNanoseconds,
  type Nanoseconds,
} from '../../../common/model/timestamp-unit.js';
import { msOfShown } from '../../../common/model/zone.js';

export interface DurationLiteral {
  readonly nanoseconds: Nanoseconds;
  /** Calendar months, from `mo` and `y`. Never combined with nanoseconds. */
  readonly months: number;
  /** The unit of all parts: weeks, days (or weeks), months, or `time` for any other. */
  readonly grain: 'weeks' | 'days' | 'months' | 'time';
}

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ...nanosecondsPerUnit,
  ...{ m: ofMs(kMinuteMs), h: ofMs(kHourMs), d: ofMs(kDayMs), w: ofMs(7 * kDayMs) },
};

function ofMs(ms: number): Nanoseconds {
  return toNanoseconds(milliseconds(ms));
}

/** Longer numbers exceed 64 bits in any unit. */
const kDigitsMax = 40;
const kFractionScale = 10n ** BigInt(kDigitsMax);
const kMonthsMax = 12 * 10_000;

/** Matches one part after another; text between them is not checked. */
const durationPart = /([0-9]+)(?:\.([0-9]+))?(ns|us|ms|mo|[smhdwy])/g;
/** The form of a duration. readDuration decides whether its size is valid. */
export const durationForm = new RegExp(`^(?:${durationPart.source})+$`);

/** Reads a duration token. Null if it is too large or its units cannot be combined. */
export function readDuration(text: string): DurationLiteral | null {
  let total = 0n;
  /** The sum of the fractions, in units of 1 / kFractionScale nanoseconds. */
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
      total += BigInt(whole) * size;
      if (fraction !== '') scaled += BigInt(fraction.padEnd(kDigitsMax, '0')) * size;
    }
  }
  const isCalendar = units.includes('mo') || units.includes('y');
  const hasOthers = units.some((unit) => unit !== 'mo' && unit !== 'y');
  if ((isCalendar && hasOthers) || months > kMonthsMax) return null;
  total += scaled / kFractionScale;
  return { nanoseconds: nanoseconds(total), months, grain: grainOf(units, isCalendar) };
}

function grainOf(units: readonly string[], isCalendar: boolean): DurationLiteral['grain'] {
  if (isCalendar) return 'months';
  if (units.every((unit) => unit === 'w')) return 'weeks';
  return units.every((unit) => unit === 'w' || unit === 'd') ? 'days' : 'time';
}

/** The forms of ISO 8601 that the language accepts. */
const timestampForm = new RegExp(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}' +
    '(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?(?:Z|[+-][0-9]{2}(?::[0-9]{2})?)?)?$',
);

/** Null if this is not a calendar date. */
export function readTimestamp(text: string, zone = 'UTC'): Nanoseconds | null {
  return timestampForm.test(text) ? parseIsoNanoseconds(text, clockOf(zone)) : null;
}

/**
 * The instant at which clocks in the zone show that time. If clocks are set back, it is the earlier
 * of two. If clocks skip the time, it is later by the skipped amount. Null: not a date, or a date
 * with its own zone. REQUIRES: the zone exists.
 */
export function readTimestampIn(zone: string, text: string): Nanoseconds | null {
  const shown = /(?:Z|[T ].*[+-][0-9:]+)$/.test(text) ? null : readTimestamp(text);
  if (shown === null) return null;
  const perMs = nanosecondsPerUnit.ms;
  const ms = floorDivide(shown, perMs);
  return nanoseconds(BigInt(msOfShown(Number(ms), zone)) * perMs + (shown - ms * perMs));
}
