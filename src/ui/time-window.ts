/** The time range of a page, and the texts that describe one. */

import {
  localTime,
  msOfLocal,
  perSecond,
  printIso,
  startOfDay,
  tsOfMs,
  type PageClock,
  type TimeUnit,
} from './zone.js';

/** Both ends are included. */
export interface TimeWindow {
  readonly start: bigint;
  readonly end: bigint;
  /** True if the window moves with the clock. */
  readonly endsNow: boolean;
}

/** The clock and the current time, which relative texts need. */
export interface ClockNow extends PageClock {
  readonly nowMs: number;
}

export const presets: readonly string[] = [
  ...['15m', '1h', '6h', '24h', '7d', '30d', '90d', '1y'],
  ...['today', 'yesterday', 'this-week'],
];
/** All of time. */
export const allTime = 'all';

const secondsOf: Readonly<Record<string, bigint>> = {
  s: 1n,
  m: 60n,
  h: 3_600n,
  d: 86_400n,
  w: 604_800n,
  /** 365 days, as PromQL counts a year. */
  y: 31_536_000n,
};

/** The seconds of `90m`, `1h30m`, `7d` or `1y`; null if the text is not a duration. */
export function readSeconds(text: string): bigint | null {
  if (!/^(?:\d{1,9}[smhdwy])+$/.test(text)) return null;
  let sum = 0n;
  for (const [, count = '0', name = 's'] of text.matchAll(/(\d+)([smhdwy])/g)) {
    sum += BigInt(count) * (secondsOf[name] ?? 1n);
  }
  return sum === 0n ? null : sum;
}

/** True for a duration such as `90m` or `7d`. */
export function isSpan(text: string): boolean {
  return readSeconds(text) !== null;
}

/** Windows of calendar days; they end now or at the end of their last day. */
const dayWindows: Readonly<Record<string, (now: ClockNow) => TimeWindow>> = {
  today: (now) => untilNow(startOfDay(now.nowMs, now.zone), now),
  yesterday: (now) => {
    const [start, end] = [-1, 0].map((days) => dayStart(now, days));
    return { start: start ?? 0n, end: (end ?? 0n) - 1n, endsNow: false };
  },
  /** Weeks begin on Mondays. */
  'this-week': (now) => {
    const { year, month, day } = localTime(now.nowMs, now.zone);
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    return untilNow(startOfDay(now.nowMs, now.zone, -((weekday + 6) % 7)), now);
  },
};

const dayStart = ({ nowMs, zone, unit }: ClockNow, daysLater: number): bigint =>
  tsOfMs(startOfDay(nowMs, zone, daysLater), unit);

function untilNow(startMs: number, { nowMs, unit }: ClockNow): TimeWindow {
  return { start: tsOfMs(startMs, unit), end: tsOfMs(nowMs, unit), endsNow: true };
}

/** `this week` and `This Week` give `this-week`; null if the text is not such a word. */
export function dayWordOf(text: string): string | null {
  const word = text.trim().toLowerCase().replace(/[ _]+/g, '-');
  return Object.hasOwn(dayWindows, word) ? word : null;
}

/** The text of an address: `6h`, `all`, `yesterday`, or two ISO 8601 times in UTC. */
export function isWindowText(text: string): boolean {
  if (text === allTime || dayWordOf(text) !== null) return true;
  return readSeconds(text) !== null || readPair(text, 'ns') !== null;
}

/** Null for `all` and for an invalid text. */
export function windowOf(text: string, now: ClockNow): TimeWindow | null {
  const { unit, nowMs } = now;
  const word = dayWordOf(text);
  if (word !== null) return dayWindows[word]?.(now) ?? null;
  const seconds = readSeconds(text);
  if (seconds === null) return readPair(text, unit);
  const end = tsOfMs(nowMs, unit);
  return { start: end - seconds * perSecond(unit), end, endsNow: true };
}

function readPair(text: string, unit: TimeUnit): TimeWindow | null {
  const [from = '', to = '', more] = text.split('..');
  const start = readIso(from.trim(), { unit, zone: 'UTC' });
  const end = readIso(to.trim(), { unit, zone: 'UTC' });
  if (start === null || end === null || more !== undefined || start > end) return null;
  return { start, end, endsNow: false };
}

const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s?(Z|[+-]\d\d:\d\d)?$/;

/** A time without an offset is in the clock's zone; a bare date is the start of its day. */
function readIso(text: string, { unit, zone }: PageClock): bigint | null {
  const found = isoTime.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((one: string | undefined) => Number(one ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const fraction = BigInt((found[7] ?? '').padEnd(9, '0'));
  const offset = found[8];
  const local = { year, month, day, hour, minute, second };
  const ms =
    offset === undefined ? msOfLocal(local, zone) : msOfLocal(local, 'UTC') - msOfOffset(offset);
  return tsOfMs(ms, unit) + (fraction * perSecond(unit)) / 1_000_000_000n;
}

const daysIn = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

function msOfOffset(text: string): number {
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4));
  return (text.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/**
 * Converts user input into the address's form: `90m`, `now-90m`, `this week`, `2026-11-20 10:00 ..
 * +2h`, `2026-11-20 .. 2026-11-21`, `now-2h .. now-1h`, `yesterday .. now`. Null: the input is
 * invalid.
 */
export function readOwnText(
  text: string,
  { clock, nowMs }: { readonly clock: PageClock; readonly nowMs: number },
): string | null {
  const plain = text.trim().replace(/\s+/g, ' ');
  const word = dayWordOf(plain);
  if (word !== null) return word;
  const sinceText = /^now ?- ?(\S+)$/.exec(plain)?.[1] ?? plain;
  if (isWindowText(sinceText) && !sinceText.includes('..')) return sinceText;
  const [from, to, more] = plain.split('..').map((one) => one.trim());
  if (from === undefined || to === undefined || more !== undefined) return null;
  const start = readMoment(from, { clock, nowMs });
  const end = start === null ? null : readMoment(to, { clock, nowMs, start });
  if (start === null || end === null || start > end) return null;
  return `${printIso(start, clock.unit)}..${printIso(end, clock.unit)}`;
}

interface MomentOptions {
  readonly clock: PageClock;
  readonly nowMs: number;
  /** The time that `+2h` is relative to. */
  readonly start?: bigint;
}

/**
 * Parses `2026-11-20 10:00`, `now`, `now-90m`, `today` (its start), and `+2h` if `start` is given.
 * Null: the text is none of these.
 */
export function readMoment(text: string, { clock, nowMs, start }: MomentOptions): bigint | null {
  if (text === 'now') return tsOfMs(nowMs, clock.unit);
  const word = dayWordOf(text);
  if (word !== null) return dayWindows[word]?.({ ...clock, nowMs }).start ?? null;
  const [, sign = '', span = ''] = /^(now ?-|\+) ?(\S+)$/.exec(text) ?? [];
  if (sign === '') return readIso(text, clock);
  const seconds = readSeconds(span);
  if (seconds === null) return null;
  const size = seconds * perSecond(clock.unit);
  if (sign === '+') return start === undefined ? null : start + size;
  return tsOfMs(nowMs, clock.unit) - size;
}
