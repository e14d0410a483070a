/** Clocks of time zones, by the IANA's names: what they show, and when they show it. */

import { nearWord } from './nearest.js';
import { visibleBeginning } from './visible-text.js';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError where there is no such zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, made);
  return made;
}

/** What an error says of a name that is no zone; `zoneHint` where a hint has its own place. */
export const kNoZone = 'no such time zone';

export function noZone(name: string): string {
  return `${kNoZone}: ${visibleBeginning(name)}; ${zoneHint(name)}`;
}

/** Which zone was meant by a name that is none; `quote` stands around the zone. */
export function zoneHint(name: string, quote = ''): string {
  const meant = meantZone(name.trim().replaceAll(' ', '_'));
  return meant === undefined
    ? `zones have names like ${quote}Europe/Berlin${quote}`
    : `did you mean ${quote}${meant}${quote}?`;
}

/** A misspelt zone, or a city, whose continent people leave out. */
function meantZone(name: string): string | undefined {
  const zones = allZones();
  if (name.includes('/')) return nearWord(name, zones);
  const zoneByCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const city = nearWord(name, zoneByCity.keys());
  return city === undefined ? undefined : zoneByCity.get(city);
}

/** By name; UTC is the first. */
export function allZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}

export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Seconds that the zone is ahead of UTC at that moment. */
export function offsetSeconds(ms: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(ms);
  const text = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+−-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === undefined || sign === '+' ? size : -size;
}

/** `+01:00`; with seconds where clocks had them. */
export function printOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  const shown = parts.slice(0, size % 60 === 0 ? 2 : 3);
  return (seconds < 0 ? '-' : '+') + shown.map((one) => String(one).padStart(2, '0')).join(':');
}

const kDayMs = 86_400_000;
/** Date knows 100 million days each way; clocks are asked up to two days further. */
const kShownMsMax = 8.64e15 - 3 * kDayMs;

/** The offsets a day before and a day after a day; most days have one offset. */
const offsetsOfDays = new Map<string, readonly [number, number]>();
const offsetsMax = 10_000;

function offsetsAround(ms: number, zone: string): readonly [number, number] {
  const day = Math.floor(ms / kDayMs);
  const key = `${zone} ${String(day)}`;
  const known = offsetsOfDays.get(key);
  if (known !== undefined) return known;
  const [before, after] = [(day - 1) * kDayMs, (day + 2) * kDayMs];
  const found = [offsetSeconds(before, zone), offsetSeconds(after, zone)] as const;
  if (offsetsOfDays.size >= offsetsMax) offsetsOfDays.clear();
  offsetsOfDays.set(key, found);
  return found;
}

/**
 * The moment at which clocks of the zone show `shownMs`, which counts as if they were UTC: the
 * first of two where clocks are put back. Where they skip it, so much later as they skip.
 */
export function msOfShown(shownMs: number, zone: string): number {
  const [first] = momentsOfShown(shownMs, zone);
  return first ?? shownMs - offsetsAround(shownMs, zone)[0] * 1000;
}

/** All moments at which clocks of the zone show it: one, none, or two in their order. */
export function momentsOfShown(shownMs: number, zone: string): readonly number[] {
  // Past what calendars of computers know there are no clocks.
  if (Math.abs(shownMs) > kShownMsMax) return [shownMs];
  const [before, after] = offsetsAround(shownMs, zone);
  if (before === after) return [shownMs - before * 1000];
  const candidates = [before, after].map((offset) => shownMs - offset * 1000);
  const found = candidates.filter((ms) => ms + offsetSeconds(ms, zone) * 1000 === shownMs);
  return found.sort((left, right) => left - right);
}
