/**
 * Shifts a time into the past. Hours have a fixed length. Days, weeks and years follow the calendar
 * of the zone. So a week earlier is the same local time, even after 167 or 169 hours.
 */

import { epochMs, localTime, msOfLocal, perSecond, tsOfMs, type PageClock } from './zone.js';

const parts = /^([1-9]\d{0,3})([smhdwy])$/;

const secondsOf: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3_600n };
const words: Readonly<Record<string, string>> = {
  ...{ s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', y: 'year' },
};

export const shifts = ['1h', '1d', '7d', '28d', '1y'] as const;

export const isShift = (text: string): boolean => parts.test(text);

/** `7 days` */
export function shiftWords(shift: string): string {
  const [, count = '', name = ''] = parts.exec(shift) ?? [];
  return `${count} ${words[name] ?? ''}${count === '1' ? '' : 's'}`;
}

export function earlier(ts: bigint, shift: string, { unit, zone }: PageClock): bigint {
  const [, text = '0', name = ''] = parts.exec(shift) ?? [];
  const seconds = secondsOf[name];
  if (seconds !== undefined) return ts - BigInt(text) * seconds * perSecond(unit);
  const ms = epochMs(ts, unit);
  if (ms === null) return ts;
  // The calendar moves whole seconds; the fraction is added again.
  const wholeMs = Math.floor(ms / 1000) * 1000;
  const count = Number(text);
  const local = localTime(wholeMs, zone);
  const days = name === 'y' ? 0 : count * (name === 'w' ? 7 : 1);
  const year = local.year - (name === 'y' ? count : 0);
  const moved = msOfLocal({ ...local, year, day: local.day - days }, zone);
  return tsOfMs(moved, unit) + (ts - tsOfMs(wholeMs, unit));
}
