/**
 * Time buckets: the bucket of a time, and the next bucket. Calendar buckets follow the clocks of a
 * time zone, so a day may have 23 or 25 hours.
 */

import { daysFromCivil, monthOfDay } from '../../../common/model/calendar.js';
import { kDayMs, kSecondMs } from '../../../common/model/duration.js';
import { floorDivide } from '../../../common/model/integers.js';
import { unitsPerSecond } from '../../../common/model/timestamp-unit.js';
import { formatsOf } from '../../../common/model/zone.js';
import { checkedInteger } from '../../values/value.js';

import type { TimeRange } from '../../../common/model/time-range.js';
import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { TimeBucket } from './plan.js';

const kDaySeconds = kDayMs / kSecondMs;
/** The most seconds before or after 1970 that a Date can hold. */
const kSecondsMax = 8_640_000_000_000;

/** The start of the bucket that holds `time`; null if it exceeds 64 bits or the calendar. */
export function bucketStart(bucket: TimeBucket, time: bigint, unit: TimestampUnit): bigint | null {
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

/** The start of the bucket after the one at `start`; null if it exceeds 64 bits or the calendar. */
export function nextBucket(bucket: TimeBucket, start: bigint, unit: TimestampUnit): bigint | null {
  if (bucket.kind === 'fixed') return checkedInteger(start + bucket.width);
  const perSecond = unitsPerSecond(unit);
  const seconds = Number(floorDivide(start, perSecond));
  const index = calendarIndex(bucket, localDay(seconds, bucket.zone)) + 1;
  const next = calendarStart(bucket, index);
  if (Math.abs(next) > kSecondsMax - 400 * kDaySeconds) return null;
  return checkedInteger(BigInt(next) * perSecond);
}

/** A lower bound of the number of buckets in the range. A calendar's exact number needs a walk. */
export function fewestBuckets(
  bucket: TimeBucket,
  { start, end }: TimeRange,
  unit: TimestampUnit,
): bigint {
  return end < start ? 0n : (end - start) / longest(bucket, unit) + 1n;
}

/** An upper bound of a bucket's length. */
function longest(bucket: TimeBucket, unit: TimestampUnit): bigint {
  if (bucket.kind === 'fixed') return bucket.width;
  const days = bucket.kind === 'days' ? bucket.count : 31 * bucket.count;
  // Clock changes lengthen a bucket by less than a day.
  return BigInt((days + 1) * kDaySeconds) * unitsPerSecond(unit);
}

type CalendarBucket = Exclude<TimeBucket, { kind: 'fixed' }>;

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

/**
 * The first second whose local day is `day` or later, even if clocks skip midnight. If clocks
 * repeat midnight, the earlier one counts, so that no time precedes the start of its own day.
 */
function dayStart(day: number, zone: string | null): number {
  const local = day * kDaySeconds;
  if (zone === null) return local;
  // No zone is a day away from UTC, so midnight lies between these two.
  const [low, high] = [local - kDaySeconds, local + kDaySeconds];
  const [before, after] = [zoneOffset(low, zone), zoneOffset(high, zone)];
  if (before === after) return local - before;
  const change = firstSecond({ low, high }, (second) => zoneOffset(second, zone) !== before);
  // By the offset before the change if midnight comes before it; otherwise by the offset after.
  return local - before < change ? local - before : Math.max(change, local - after);
}

interface Seconds {
  readonly low: number;
  readonly high: number;
}

/** The first second for which `holds` is true. REQUIRES: false at `low`, true at `high`. */
function firstSecond({ low, high }: Seconds, holds: (second: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const formatOf = formatsOf({
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

/** The offsets of a zone on one UTC day. Clocks change at most once in it. */
interface ZoneDay {
  readonly before: number;
  /** The first second at which `after` applies. */
  readonly change: number;
  readonly after: number;
}

const zoneDays = new Map<string, ZoneDay>();
const kZoneDaysMax = 50_000;

/** The offset of local time from UTC, in seconds; positive east of UTC. */
function zoneOffset(seconds: number, zone: string | null): number {
  if (zone === null) return 0;
  const day = Math.floor(seconds / kDaySeconds);
  const key = `${zone} ${day}`;
  let known = zoneDays.get(key);
  if (known === undefined) {
    known = zoneDay(day, zone);
    if (zoneDays.size >= kZoneDaysMax) zoneDays.clear();
    zoneDays.set(key, known);
  }
  return seconds < known.change ? known.before : known.after;
}

function zoneDay(day: number, zone: string): ZoneDay {
  const [low, high] = [day * kDaySeconds, (day + 1) * kDaySeconds];
  const before = offsetFromIntl(low, zone);
  const after = offsetFromIntl(high, zone);
  if (before === after) return { before, change: high, after };
  const isAfter = (second: number): boolean => offsetFromIntl(second, zone) !== before;
  return { before, change: firstSecond({ low, high }, isAfter), after };
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
