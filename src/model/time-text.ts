/** Times as people write and read them, in the database's unit. */

import { parseDurationMs } from './duration.js';
import { parseI64 } from './integers.js';
import { timestampUnits, type TimestampUnit } from './timestamp-unit.js';

const unitsPerSecond: Readonly<Record<TimestampUnit, bigint>> = {
  s: 1n,
  ms: 1000n,
  us: 1_000_000n,
  ns: 1_000_000_000n,
};

/** The unit of which a second has so many; null when it is none of them. */
export function unitOfSecond(count: bigint): TimestampUnit | null {
  return timestampUnits.find((unit) => unitsPerSecond[unit] === count) ?? null;
}

const nanosecondsPerSecond = 1_000_000_000n;

/** What JavaScript's Date can hold, in seconds. */
const dateSecondsMax = 8_640_000_000_000n;

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** Milliseconds in the unit, towards the past. */
export function fromMilliseconds(milliseconds: bigint, unit: TimestampUnit): bigint {
  return floorDivide(milliseconds * unitsPerSecond[unit], 1000n);
}

/** The same time in another unit, towards the past. */
export function convertTime(ts: bigint, from: TimestampUnit, to: TimestampUnit): bigint {
  return floorDivide(ts * unitsPerSecond[to], unitsPerSecond[from]);
}

/**
 * An integer in the unit, `now`, `now-90m`, or an ISO timestamp, which is UTC unless it names a
 * zone. Null for anything else. What the unit cannot hold is cut, towards the past.
 */
export function parseTime(text: string, unit: TimestampUnit, nowMs = Date.now()): bigint | null {
  const integer = parseI64(text);
  if (integer !== null) return integer;
  const relative = /^now(?:([+-])(\w+))?$/.exec(text);
  if (relative === null) return parseIso(text, unit);
  const [, sign, duration] = relative;
  const offsetMs = duration === undefined ? 0 : parseDurationMs(duration);
  if (offsetMs === null) return null;
  return fromMilliseconds(BigInt(sign === '-' ? nowMs - offsetMs : nowMs + offsetMs), unit);
}

const datePart = /((?:\d{4}|[+-]\d{6})-\d\d-\d\d)/;
const timePart = /(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?/;
const zonePart = /(Z|[+-]\d\d(?::\d\d)?)?/;
const isoPattern = new RegExp(`^${datePart.source}${timePart.source}${zonePart.source}$`);

/** An ISO timestamp in the unit; null for anything else. */
export function parseIso(text: string, unit: TimestampUnit): bigint | null {
  const match = isoPattern.exec(text);
  if (match === null) return null;
  const [, date = '', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  // Date.parse takes the 30th of February for the 2nd of March.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return null;
  const wholeMs = Date.parse(
    `${date}T${minutes}:${seconds}${zone.length === 3 ? `${zone}:00` : zone}`,
  );
  if (Number.isNaN(wholeMs)) return null;
  const nanoseconds =
    BigInt(wholeMs / 1000) * nanosecondsPerSecond + BigInt(fraction.padEnd(9, '0'));
  return floorDivide(nanoseconds * unitsPerSecond[unit], nanosecondsPerSecond);
}

const fractionDigits: Readonly<Record<TimestampUnit, number>> = { s: 0, ms: 3, us: 6, ns: 9 };

/** The ISO form with all digits of the unit; empty beyond the years that have one. */
export function printTime(ts: bigint, unit: TimestampUnit): string {
  const perSecond = unitsPerSecond[unit];
  const seconds = floorDivide(ts, perSecond);
  if (seconds > dateSecondsMax || seconds < -dateSecondsMax) return '';
  const whole = new Date(Number(seconds) * 1000).toISOString().replace('.000Z', '');
  const digits = fractionDigits[unit];
  const fraction = String(ts - seconds * perSecond).padStart(digits, '0');
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction}Z`;
}
