/**
 * Buckets of time: in which one a time lies, and which one follows. Calendar buckets follow the
 * clocks of a time zone, so that a day may have 23 or 25 hours.
 */

import { daysFromCivil, monthOfDay } from '../../model/calendar.js';
import { kDayMs, kSecondMs } from '../../model/duration.js';
import { floorDivide } from '../../model/integers.js';
import { unitsPerSecond } from '../../model/timestamp-unit.js';
import { checkedInteger } from '../language/value.js';

import type { TimestampUnit } from '../../model/timestamp-unit.js';
import type { Bucket } from './plan.js';

const kDaySeconds = kDayMs / kSecondMs;
/** The seconds that a Date can hold, to both sides of 1970. */
const kSecondsMax = 8_640_000_000_000;

/** The start of the bucket that holds `time`; null when it is past 64 bits or past the calendar. */
export function bucketStart(bucket: Bucket, time: bigint, unit: TimestampUnit): bigint | null {
  if (bucket.kind === 'fixed') {
    const { width, origin } = bucket;
    return checkedInteger(floorDivide(time - origin, width) * width + origin);
  }
  const perSecond = unitsPerSecond(unit);
  const seconds = Number(floorDivide(time, perSecond));
  if (Math.abs(seconds) > kSecondsMax - 400 * kDaySeconds) return null;
  const index = calendarIndex(bucket, localDay(seconds, bucket.zone));
  return checkedInteger(BigInt(calendarStart(bucket, index)) * perSecond);
}

/** The start of the bucket after the one that starts at `start`. */
export function nextBucket(bucket: Bucket, start: bigint, unit: TimestampUnit): bigint | null {
  if (bucket.kind === 'fixed') return checkedInteger(start + bucket.width);
  const perSecond = unitsPerSecond(unit);
  const seconds = Number(floorDivide(start, perSecond));
  const index = calendarIndex(bucket, localDay(seconds, bucket.zone)) + 1;
  const next = calendarStart(bucket, index);
  if (Math.abs(next) > kSecondsMax - 400 * kDaySeconds) return null;
  return checkedInteger(BigInt(next) * perSecond);
}

type CalendarBucket = Exclude<Bucket, { kind: 'fixed' }>;

function calendarIndex(bucket: CalendarBucket, day: number): number {
  if (bucket.kind === 'days') return Math.floor((day - bucket.offset) / bucket.count);
  const { year, month } = monthOfDay(day);
  return Math.floor(((year - 1970) * 12 + month - 1) / bucket.count);
}

/** Seconds since 1970 at which the bucket with this index starts. */
function calendarStart(bucket: CalendarBucket, index: number): number {
  if (bucket.kind === 'days') return dayStart(index * bucket.count + bucket.offset, bucket.zone);
  const months = index * bucket.count;
  const year = 1970 + Math.floor(months / 12);
  const month = months - Math.floor(months / 12) * 12 + 1;
  return dayStart(daysFromCivil(year, month, 1), bucket.zone);
}

function localDay(seconds: number, zone: string | null): number {
  return Math.floor((seconds + zoneOffset(seconds, zone)) / kDaySeconds);
}

/** The first second of a local day, also where clocks skip midnight. */
function dayStart(day: number, zone: string | null): number {
  const local = day * kDaySeconds;
  if (zone === null) return local;
  // The offsets half a day or more away on both sides: if they agree, there is no change to heed.
  const before = zoneOffset(local - kDaySeconds, zone);
  const after = zoneOffset(local + kDaySeconds, zone);
  if (before === after && localDay(local - before, zone) === day) return local - before;
  return firstSecondOf(day, zone, local);
}

/** Searches the first second whose local day is `day` or later. */
function firstSecondOf(day: number, zone: string, local: number): number {
  let low = local - 2 * kDaySeconds;
  let high = local + 2 * kDaySeconds;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (localDay(middle, zone) >= day) high = middle;
    else low = middle;
  }
  return high;
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** By zone and quarter of an hour: clocks have changed at no other times since 1972. */
const offsets = new Map<string, number>();
const kQuarterSeconds = 900;
const kOffsetsMax = 50_000;

/** Seconds that local time is ahead of UTC. */
function zoneOffset(seconds: number, zone: string | null): number {
  if (zone === null) return 0;
  const quarter = Math.floor(seconds / kQuarterSeconds);
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = offsetFromIntl(quarter * kQuarterSeconds, zone);
  if (offsets.size >= kOffsetsMax) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

function offsetFromIntl(seconds: number, zone: string): number {
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(new Date(seconds * 1000))) {
    parts.set(type, type === 'era' ? (value.startsWith('B') ? 1 : 0) : Number(value));
  }
  const part = (name: string): number => parts.get(name) ?? 0;
  const year = part('era') === 1 ? 1 - part('year') : part('year');
  const days = daysFromCivil(year, part('month'), part('day'));
  const local = days * kDaySeconds + part('hour') * 3600 + part('minute') * 60 + part('second');
  return local - seconds;
}

/** Throws a RangeError when there is no such zone. */
export function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
